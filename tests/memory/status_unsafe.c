// gnomon: unknown
// The object is smaller than what is written there.
#include <sys/stat.h>
int main(void)
{
    char small[4];
    return stat("a", (struct stat *)small);
}

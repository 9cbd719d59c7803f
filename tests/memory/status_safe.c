// gnomon: true
// The object has room for what is written there.
#include <sys/stat.h>
int main(void)
{
    struct stat status;
    return stat("a", &status);
}

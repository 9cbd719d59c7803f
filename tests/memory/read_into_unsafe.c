// gnomon: unknown
// Eight bytes are read into four; no execution of ours shows it.
#include <unistd.h>
int main(void)
{
    char bytes[4] = {0};
    return read(0, bytes, 8) > 0;
}

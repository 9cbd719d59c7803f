// gnomon: true
// Four bytes are read into four.
#include <unistd.h>
int main(void)
{
    char bytes[4] = {0};
    return read(0, bytes, 4) > 0;
}

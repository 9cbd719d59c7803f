// gnomon: unknown --thread-errors race
// Bit-fields of one word are one memory location: data races on them are not looked for, and that is
// said.
#include <pthread.h>

struct { unsigned one : 4, other : 4; } flags;

void *work(void *argument)
{
    flags.one = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    flags.other = 1;
    pthread_join(t, 0);
    return 0;
}

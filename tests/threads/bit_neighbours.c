// gnomon: false
// Stores to neighbouring bit-fields write each other's bits back.
#include <pthread.h>
extern void reach_error(void);

struct { unsigned low : 4, high : 4; } bits;

void *writer(void *arg)
{
    bits.low = 3;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    bits.high = 5;
    pthread_join(thread, 0);
    if (bits.low != 3 || bits.high != 5)
        reach_error();
    return 0;
}

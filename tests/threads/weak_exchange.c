// gnomon: false
// A weak exchange may fail for no reason.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <stdatomic.h>
atomic_int shared;

void *other(void *arg)
{
    return 0;
}
int main(void)
{
    pthread_t thread;
    int expected = 0;
    pthread_create(&thread, 0, other, 0);
    if (!atomic_compare_exchange_weak(&shared, &expected, 1))
        reach_error();
    pthread_join(thread, 0);
    return 0;
}

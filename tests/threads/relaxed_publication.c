// gnomon: unknown --thread-errors race
// A relaxed store publishes nothing: the data is accessed in a race.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <stdatomic.h>
atomic_int ready;
int data;

void *other(void *arg)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        data++;
    pthread_join(thread, 0);
    return 0;
}

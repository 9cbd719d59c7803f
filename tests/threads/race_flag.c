// gnomon: false --thread-errors race
// A flag that is no atomic says when data is ready: the flag itself is a race.
#include <pthread.h>

int ready, data;

void *produce(void *arg)
{
    data = 42;
    ready = 1;
    return 0;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, 0, produce, 0);
    while (!ready)
        ;
    pthread_join(producer, 0);
    return data - 42;
}

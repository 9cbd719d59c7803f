// gnomon: true --thread-errors race
// An atomic flag orders the accesses to data.
#include <pthread.h>

int ready, data;

void *produce(void *arg)
{
    data = 42;
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, 0, produce, 0);
    while (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
        ;
    int seen = data;
    pthread_join(producer, 0);
    return seen - 42;
}

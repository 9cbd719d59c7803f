// gnomon: true --thread-errors race
// Data is handed over with a semaphore.
#include <pthread.h>
#include <semaphore.h>

int data;
sem_t full;

void *produce(void *arg)
{
    data = 42;
    sem_post(&full);
    return 0;
}

int main(void)
{
    pthread_t producer;
    sem_init(&full, 0, 0);
    pthread_create(&producer, 0, produce, 0);
    sem_wait(&full);
    int seen = data;
    pthread_join(producer, 0);
    return seen - 42;
}

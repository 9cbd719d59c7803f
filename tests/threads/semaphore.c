// gnomon: true
// A semaphore orders two threads.
#include <assert.h>
#include <pthread.h>

#include <semaphore.h>

sem_t written;
int data;

void *writer(void *argument)
{
    data = 5;
    sem_post(&written);
    return 0;
}

int main(void)
{
    pthread_t t;
    sem_init(&written, 0, 0);
    pthread_create(&t, 0, writer, 0);
    sem_wait(&written);
    assert(data == 5);
    pthread_join(t, 0);
    return 0;
}

// gnomon: false
// A semaphore is waited for for some time only.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <semaphore.h>
#include <time.h>
sem_t semaphore;

void *other(void *arg)
{
    struct timespec until = {0, 0};
    if (sem_timedwait(&semaphore, &until) != 0)
        reach_error();
    return 0;
}
int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    return 0;
}

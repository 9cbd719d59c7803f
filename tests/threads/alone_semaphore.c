// gnomon: false --thread-errors deadlock
// A semaphore that nobody posts is a deadlock where there is one thread.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <semaphore.h>
sem_t semaphore;

int main(void)
{
    sem_init(&semaphore, 0, 0);
    sem_wait(&semaphore);
    return 0;
}

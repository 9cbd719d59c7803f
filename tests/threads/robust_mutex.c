// gnomon: unknown
// Robust mutexes are not modelled: the next who locks this one would be told that its owner is dead.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <errno.h>
pthread_mutex_t lock;

void *other(void *arg)
{
    pthread_mutex_lock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        reach_error();
    return 0;
}

// gnomon: false
// The static initialiser of a mutex that checks errors.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);
pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

void *other(void *arg)
{
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&lock);
    if (pthread_mutex_lock(&lock) != 0)
        reach_error();
    return 0;
}

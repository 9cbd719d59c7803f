// gnomon: true
// Who got a mutex in time holds it.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <time.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *other(void *arg)
{
    struct timespec until = {0, 0};
    if (pthread_mutex_timedlock(&lock, &until) != 0)
        return 0;
    inside = 1;
    inside = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&lock);
    if (inside)
        reach_error();
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}

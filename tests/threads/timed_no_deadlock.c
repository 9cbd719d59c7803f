// gnomon: true --thread-errors deadlock
// Who waits for some time only is never stuck.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <time.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void *other(void *arg)
{
    struct timespec until = {0, 0};
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&changed, &lock, &until);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    return 0;
}

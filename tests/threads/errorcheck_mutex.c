// gnomon: true
// A mutex that checks errors tells who locks it twice and who does not hold it.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_mutex_t lock;

void *other(void *arg)
{
    if (pthread_mutex_unlock(&lock) == 0)
        reach_error();
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, other, 0);
    if (pthread_mutex_lock(&lock) == 0)
        reach_error();
    pthread_join(thread, 0);
    if (pthread_mutex_unlock(&lock) != 0 || pthread_mutex_unlock(&lock) == 0)
        reach_error();
    return 0;
}

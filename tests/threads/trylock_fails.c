// gnomon: false
// trylock may fail while another thread holds the mutex.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *other(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    if (pthread_mutex_trylock(&lock) != 0)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}

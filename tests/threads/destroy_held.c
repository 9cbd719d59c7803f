// gnomon: false --thread-errors misuse
// A mutex is destroyed that another thread may hold.
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_destroy(&lock);
    pthread_join(t, 0);
    return 0;
}

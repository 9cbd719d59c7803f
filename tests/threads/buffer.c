// gnomon: true --contexts 4
// A buffer with a condition variable, asked again after each wake-up: no error up to the bound.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int count;

void *producer(void *argument)
{
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&filled, &lock);
    assert(count == 1);
    count = count - 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}

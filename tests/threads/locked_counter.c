// gnomon: true
// Two threads count under a lock.
#include <assert.h>
#include <pthread.h>

int count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *one(void *argument)
{
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, one, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(count == 2);
    return 0;
}

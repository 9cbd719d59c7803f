// gnomon: true
// Five symmetric threads: states that differ in who has been there are one state.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;

void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], 0);
    assert(count == 5);
    return 0;
}

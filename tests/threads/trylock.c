// gnomon: true
// A thread that does not get the lock does without.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count, missed[2];

void *work(void *argument)
{
    int me = (int)(long)argument;
    if (pthread_mutex_trylock(&lock) == 0) {
        count = count + 1;
        pthread_mutex_unlock(&lock);
    } else
        missed[me] = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count + missed[0] + missed[1] == 2 && count >= 1);
    return 0;
}

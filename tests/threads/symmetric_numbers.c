// gnomon: false
// Threads that run the same function but compute with their numbers are not symmetric: only the last one
// is wrong.
#include <assert.h>
#include <pthread.h>

pthread_t threads[3];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int wrong;

void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    if (pthread_self() == threads[2])
        wrong = wrong + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(wrong == 0);
    return 0;
}

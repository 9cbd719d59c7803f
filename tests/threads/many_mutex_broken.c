// gnomon: false
// A mutex that is given back too early, and any number of threads.
extern void reach_error(void);
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int balance;

void *one(void *argument)
{
    pthread_mutex_lock(&mutex);
    balance = balance + 3;
    pthread_mutex_unlock(&mutex);
    balance = balance - 3;
    pthread_mutex_lock(&mutex);
    if (balance != 0)
        reach_error();
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t made;
    while (1)
        pthread_create(&made, 0, one, 0);
    return 0;
}

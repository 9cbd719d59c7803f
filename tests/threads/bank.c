// gnomon: true
// A bank account under a lock.
#include <assert.h>
#include <pthread.h>

int balance = 10;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *deposit(void *argument)
{
    pthread_mutex_lock(&lock);
    int seen = balance;
    balance = seen + 5;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *withdraw(void *argument)
{
    pthread_mutex_lock(&lock);
    int seen = balance;
    balance = seen - 3;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, deposit, 0);
    pthread_create(&t2, 0, withdraw, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(balance == 12);
    return 0;
}

// gnomon: true
// A recursive mutex is locked twice and held until it is unlocked twice.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock;
int a, b;

void *one(void *argument)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    a = 1;
    pthread_mutex_unlock(&lock);
    b = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&t, 0, one, 0);
    pthread_mutex_lock(&lock);
    assert(a == b);
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}

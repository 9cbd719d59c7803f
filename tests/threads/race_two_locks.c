// gnomon: false --thread-errors race
// Both threads hold a lock, but not the same one.
#include <pthread.h>

pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *first(void *arg)
{
    pthread_mutex_lock(&one);
    shared = 1;
    pthread_mutex_unlock(&one);
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(&other);
    shared = 2;
    pthread_mutex_unlock(&other);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// gnomon: true
// A writer is alone.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int first, second;

void *other(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    first = 1;
    second = 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_rwlock_rdlock(&lock);
    if (first != second)
        reach_error();
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}

// gnomon: false
// Readers are not alone.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int inside;

void *other(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    inside = 1;
    inside = 0;
    pthread_rwlock_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_rwlock_rdlock(&lock);
    if (inside)
        reach_error();
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}

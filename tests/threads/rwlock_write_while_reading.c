// gnomon: false
// A thread that writes while it reads is told that it waits for itself, or hangs.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *other(void *arg)
{
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_rwlock_wrlock(&lock);
    if (pthread_rwlock_wrlock(&lock) != 0)
        reach_error();
    return 0;
}

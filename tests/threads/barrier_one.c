// gnomon: true
// Exactly one of the threads at a barrier is told that it is the one.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_barrier_t barrier;
int ones;

void meet(void)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        __atomic_fetch_add(&ones, 1, __ATOMIC_SEQ_CST);
}
void *other(void *arg)
{
    meet();
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, other, 0);
    meet();
    pthread_join(thread, 0);
    if (ones != 1)
        reach_error();
    return 0;
}

// gnomon: false
// Any one of the threads at a barrier is told that it is the one.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_barrier_t barrier;
int arrived;

void *other(void *arg)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    pthread_barrier_wait(&barrier);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, other, 0);
    int first = __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) == 0;
    int mine = pthread_barrier_wait(&barrier);
    if (mine == PTHREAD_BARRIER_SERIAL_THREAD && first)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}

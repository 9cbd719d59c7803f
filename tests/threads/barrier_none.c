// gnomon: false
// A barrier for nobody is not made.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_barrier_t barrier;

void *other(void *arg)
{
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    if (pthread_barrier_init(&barrier, 0, 0) != 0)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}

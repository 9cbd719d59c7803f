// gnomon: false
// volatile makes nothing atomic.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

volatile int shared;

void *other(void *arg)
{
    shared++;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    shared++;
    pthread_join(thread, 0);
    if (shared != 2)
        reach_error();
    return 0;
}

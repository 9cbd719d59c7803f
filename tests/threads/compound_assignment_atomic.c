// gnomon: true
// On an _Atomic variable they are one step.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

_Atomic int shared = 1;

void *writer(void *arg)
{
    shared -= 3;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    shared += 2;
    pthread_join(thread, 0);
    if (shared != 0)
        reach_error();
    return 0;
}

// gnomon: unknown
// Signals are not modelled.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <signal.h>
void *other(void *arg)
{
    for (;;)
        ;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    if (pthread_kill(thread, 0) != 0)
        reach_error();
    return 0;
}

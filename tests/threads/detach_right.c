// gnomon: true
// Detaching a thread once succeeds.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

void *other(void *arg)
{
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    if (pthread_detach(thread) != 0)
        reach_error();
    return 0;
}

// gnomon: false
// A thread that joins itself gets an error, also among others.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

void *other(void *arg)
{
    if (pthread_join(pthread_self(), 0) != 0)
        reach_error();
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    return 0;
}

// gnomon: true
// At 64 bits a number of 64 bits is stored in one step.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

long long shared;

void *writer(void *arg)
{
    shared = -1;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    long long seen = shared;
    if (seen != 0 && seen != -1)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}

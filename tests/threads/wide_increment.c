// gnomon: false -m32
// The carry between the halves of a number of 64 bits is seen on its way.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

long long shared = 0xffffffffLL;

void *writer(void *arg)
{
    shared++;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    if (shared == 0)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}

// gnomon: true
// When main returns nobody goes on who waited for what comes behind it.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

int step;

void *other(void *arg)
{
    while (!step)
        ;
    reach_error();
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    return 0;
}

// gnomon: false
// pthread_exit in main lets the others go on.
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
    step = 1;
    pthread_exit(0);
}

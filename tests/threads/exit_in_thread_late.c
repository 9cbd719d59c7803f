// gnomon: false
// Before a thread calls exit the others go on.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

int done;

void *ender(void *arg)
{
    exit(0);
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, ender, 0);
    reach_error();
    return 0;
}

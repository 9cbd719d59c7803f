// gnomon: false
// What atexit was given runs when a thread calls exit.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

int done;

void handler(void)
{
    if (done)
        reach_error();
}
void *ender(void *arg)
{
    done = 1;
    exit(0);
}
int main(void)
{
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, 0, ender, 0);
    pthread_join(thread, 0);
    return 0;
}

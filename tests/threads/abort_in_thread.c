// gnomon: true
// abort in a thread ends the process: nobody goes on behind it.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

int done;

void *ender(void *arg)
{
    done = 1;
    abort();
    done = 2;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, ender, 0);
    pthread_join(thread, 0);
    reach_error();
    return 0;
}

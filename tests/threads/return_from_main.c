// gnomon: false
// Until main returns a thread goes on, and its end is the end of all.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

int step;

void *other(void *arg)
{
    step = 1;
    step = 2;
    reach_error();
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    return 0;
}

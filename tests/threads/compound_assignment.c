// gnomon: false
// x += 2 and x *= 3 read and write in two steps.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

int shared = 1;

void *writer(void *arg)
{
    shared *= 3;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    shared += 2;
    pthread_join(thread, 0);
    if (shared == 3)
        reach_error();
    return 0;
}

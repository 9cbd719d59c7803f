// gnomon: false --thread-errors race
// The thread writes through a pointer what its creator reads by name before it joins.
#include <pthread.h>

void *work(void *arg)
{
    *(int *)arg = 1;
    return 0;
}

int main(void)
{
    int own = 0;
    pthread_t thread;
    pthread_create(&thread, 0, work, &own);
    int seen = own;
    pthread_join(thread, 0);
    return seen > 1;
}

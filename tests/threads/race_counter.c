// gnomon: false --thread-errors race
// Two threads add to a counter without a lock; nothing is asserted.
#include <pthread.h>

int count;

void *work(void *arg)
{
    count = count + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

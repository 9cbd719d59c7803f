// gnomon: false
// Threads are made in a loop, each with its own number; the last one wins or not.
#include <assert.h>
#include <pthread.h>

int last;

void *work(void *argument)
{
    last = (int)(long)argument;
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, (void *)(long)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(last == 2);
    return 0;
}

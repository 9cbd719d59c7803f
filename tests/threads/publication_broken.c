// gnomon: false
// The flag is written before the data that it announces.
#include <assert.h>
#include <pthread.h>

int data, ready;

void *writer(void *argument)
{
    ready = 1;
    data = 42;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    if (ready)
        assert(data == 42);
    pthread_join(t, 0);
    return 0;
}

// gnomon: true
// Data is written before the flag that announces it.
#include <assert.h>
#include <pthread.h>

int data, ready;

void *writer(void *argument)
{
    data = 42;
    ready = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    if (ready)
        assert(data == 42);
    pthread_join(t, 0);
    assert(data == 42);
    return 0;
}

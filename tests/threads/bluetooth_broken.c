// gnomon: false
// The BlueTooth driver of KISS: the driver can be stopped between the look at the flag and the count.
#include <assert.h>
#include <pthread.h>

int pending = 1, stopping, event, stopped;

void leave(void)
{
    if (__sync_sub_and_fetch(&pending, 1) == 0)
        event = 1;
}

int enter(void)
{
    if (stopping)
        return -1;
    __sync_fetch_and_add(&pending, 1);
    return 0;
}

void *stop(void *argument)
{
    stopping = 1;
    leave();
    if (event)
        stopped = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, stop, 0);
    if (enter() == 0) {
        assert(!stopped);
        leave();
    }
    pthread_join(t, 0);
    return 0;
}

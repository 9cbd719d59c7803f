// gnomon: false
// The BlueTooth driver of LAL 7.7 whose adder calls itself for one more request.
#include <pthread.h>
#include <assert.h>

int pending = 1, stopping, event, stopped;

int enter(void)
{
    if (stopping)
        return -1;
    __atomic_fetch_add(&pending, 1, __ATOMIC_SEQ_CST);
    return 0;
}
void leave(void)
{
    if (__atomic_sub_fetch(&pending, 1, __ATOMIC_SEQ_CST) == 0)
        event = 1;
}
void requests(int count)
{
    if (count == 0)
        return;
    if (enter() == 0)
        assert(!stopped);
    leave();
    requests(count - 1);
}
void *adder(void *arg)
{
    requests(2);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, adder, 0);
    stopping = 1;
    leave();
    while (!event)
        ;
    stopped = 1;
    pthread_join(thread, 0);
    return 0;
}

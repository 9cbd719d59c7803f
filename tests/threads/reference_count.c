// gnomon: true
// The last reference releases, exactly once.
#include <assert.h>
#include <pthread.h>

int count = 2, released;

void release(void)
{
    assert(!released);
    released = 1;
}

void drop(void)
{
    if (__atomic_sub_fetch(&count, 1, __ATOMIC_SEQ_CST) == 0)
        release();
}

void *one(void *argument)
{
    drop();
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    drop();
    pthread_join(t, 0);
    assert(released);
    return 0;
}

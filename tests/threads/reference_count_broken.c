// gnomon: false
// The count is not lowered in one step: nobody may be the last.
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
    int seen = count;
    count = seen - 1;
    if (seen == 1)
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

// gnomon: true
// Threads and locks of C11.
#include <assert.h>
#include <threads.h>

mtx_t lock;
int count;

int one(void *argument)
{
    mtx_lock(&lock);
    count = count + 1;
    mtx_unlock(&lock);
    return 4;
}

int main(void)
{
    thrd_t t;
    int result;
    mtx_init(&lock, mtx_plain);
    thrd_create(&t, one, 0);
    mtx_lock(&lock);
    count = count + 1;
    mtx_unlock(&lock);
    thrd_join(t, &result);
    assert(count == 2 && result == 4);
    return 0;
}

// gnomon: true
// Atomic operations with weaker orders: they are taken for sequentially consistent ones, which the
// verdict says.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;
atomic_bool ready;
int data;

void *produce(void *argument)
{
    data = 7;
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, produce, 0);
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(data == 7);
    atomic_fetch_add(&count, 1);
    pthread_join(t, 0);
    assert(atomic_load(&count) == 2);
    return 0;
}

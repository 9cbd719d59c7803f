// gnomon: true
// Behind a barrier all have written.
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int a, b;

void *one(void *argument)
{
    a = 1;
    pthread_barrier_wait(&barrier);
    assert(b == 1);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, one, 0);
    b = 1;
    pthread_barrier_wait(&barrier);
    assert(a == 1);
    pthread_join(t, 0);
    return 0;
}

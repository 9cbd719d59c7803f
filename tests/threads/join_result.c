// gnomon: true
// What a thread returns, and what it ends with by pthread_exit, comes out of pthread_join.
#include <assert.h>
#include <pthread.h>

void *twice(void *argument)
{
    long value = (long)argument;
    return (void *)(2 * value);
}

void finish(long value)
{
    pthread_exit((void *)(value + 1));
}

void *more(void *argument)
{
    finish((long)argument);
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    void *one, *other;
    pthread_create(&t1, 0, twice, (void *)21L);
    pthread_create(&t2, 0, more, (void *)6L);
    pthread_join(t1, &one);
    pthread_join(t2, &other);
    assert((long)one == 42);
    assert((long)other == 7);
    return 0;
}

// gnomon: true
// Thread-specific data is one value for each thread.
#include <assert.h>
#include <pthread.h>

pthread_key_t key;

void *one(void *argument)
{
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, (void *)2L);
    assert((long)pthread_getspecific(key) == 2);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, 0);
    pthread_setspecific(key, (void *)1L);
    pthread_create(&t, 0, one, 0);
    assert((long)pthread_getspecific(key) == 1);
    pthread_join(t, 0);
    return 0;
}

// gnomon: false
// Two threads count without a lock: one of the updates can be lost.
#include <assert.h>
#include <pthread.h>

int count;

void *one(void *argument)
{
    count = count + 1;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, one, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(count == 2);
    return 0;
}

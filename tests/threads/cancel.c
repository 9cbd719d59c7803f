// gnomon: unknown
// What is not modelled is refused by its name.
#include <assert.h>
#include <pthread.h>

void *one(void *argument)
{
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    pthread_cancel(t);
    assert(0);
    return 0;
}

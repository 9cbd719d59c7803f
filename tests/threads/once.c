// gnomon: true
// The routine of pthread_once runs once, and is over when anybody goes on.
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int runs, value;

void initialize(void)
{
    runs = runs + 1;
    value = 3;
}

void *one(void *argument)
{
    pthread_once(&once, initialize);
    assert(value == 3);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    pthread_once(&once, initialize);
    assert(value == 3 && runs == 1);
    pthread_join(t, 0);
    return 0;
}

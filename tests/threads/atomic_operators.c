// gnomon: true
// Operators on an _Atomic variable are one step each.
#include <assert.h>
#include <pthread.h>

_Atomic int count;
int seen;

void *work(void *arg)
{
    count += 2;
    seen = count++;
    ++count;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 8);
    return 0;
}

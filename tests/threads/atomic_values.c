// gnomon: true
// The value of ++x on an _Atomic variable is the one that was stored: nobody has the same.
#include <assert.h>
#include <pthread.h>

_Atomic int next;
int taken[5];

void *work(void *argument)
{
    int mine = ++next;
    taken[mine]++;
    mine = next += 1;
    taken[mine]++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(taken[1] == 1 && taken[2] == 1 && taken[3] == 1 && taken[4] == 1);
    return 0;
}

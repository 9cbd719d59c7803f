// gnomon: true
// The same stack, where what was popped is not pushed back.
#include <assert.h>
#include <pthread.h>

int next[2] = { 1, -1 };
int top;
int taken[2];

void pop(void)
{
    int old = top;
    if (old < 0)
        return;
    int below = next[old];
    if (__sync_val_compare_and_swap(&top, old, below) != old)
        return;
    assert(!taken[old]);
    taken[old] = 1;
}

void *other(void *argument)
{
    pop();
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    pop();
    pthread_join(t, 0);
    return 0;
}

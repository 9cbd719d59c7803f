// gnomon: false
// A lock-free stack: between the look at the top and the exchange, another thread pops two and pushes one back.
#include <assert.h>
#include <pthread.h>

int next[3] = { 1, 2, -1 };
int top;
int taken[3];

int pop(void)
{
    int old = top;
    if (old < 0)
        return -1;
    int below = next[old];
    if (__sync_val_compare_and_swap(&top, old, below) != old)
        return -1;
    return old;
}

void push(int node)
{
    next[node] = top;
    top = node;
}

void *other(void *argument)
{
    int first = pop();
    int second = pop();
    if (first >= 0 && second >= 0) {
        taken[second] = 1;
        push(first);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    pop();
    pthread_join(t, 0);
    assert(top < 0 || !taken[top]);
    return 0;
}

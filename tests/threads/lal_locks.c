// gnomon: true
// LAL Figure 1.6 (a): a lock and its index are kept in local variables across a recursive call.
#include <pthread.h>
#include <assert.h>
#define N 2

pthread_mutex_t m[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int arr[N], inside[N];

void foo(int i)
{
    pthread_mutex_t *l1;
    int l2;
    if (i < N) {
        l1 = &m[i];
        l2 = i;
        foo(i + 1);
        pthread_mutex_lock(l1);
        assert(inside[l2] == 0);
        inside[l2] = 1;
        arr[l2] = arr[l2] + 1;
        inside[l2] = 0;
        pthread_mutex_unlock(l1);
    }
}
void *other(void *arg)
{
    foo(0);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    foo(0);
    pthread_join(thread, 0);
    assert(arr[0] == 2 && arr[1] == 2);
    return 0;
}

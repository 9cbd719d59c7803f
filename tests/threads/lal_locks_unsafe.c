// gnomon: false
// LAL Figure 1.6 (a), with an error: a lock and its index are kept in local variables across a recursive call.
#include <pthread.h>
#include <assert.h>
#define N 2

pthread_mutex_t m[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
_Thread_local int arg_of_other;
int arr[N], inside[N];

void foo(int i)
{
    pthread_mutex_t *l1;
    int l2;
    if (i < N) {
        l1 = &m[i];
        // The lock of another element.
        if (arg_of_other)
            l1 = &m[(i + 1) % N];
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
    arg_of_other = 1;
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

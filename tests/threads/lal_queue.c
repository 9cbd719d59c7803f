// gnomon: true
// LAL Figure 6.1: a circular queue; the element that is taken out is the one that was put in.
#include <pthread.h>
#include <assert.h>
#define SIZE 2
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int q[SIZE], hd, cnt, tl;

void enq(int e)
{
    while (1) {
        __VERIFIER_atomic_begin();
        if (cnt < SIZE) {
            q[tl] = e;
            tl = (tl + 1) % SIZE;
            cnt++;
            __VERIFIER_atomic_end();
            break;
        }
        __VERIFIER_atomic_end();
    }
}
int deq(void)
{
    while (1) {
        __VERIFIER_atomic_begin();
        if (cnt > 0) {
            int e = q[hd];
            hd = (hd + 1) % SIZE;
            cnt--;
            __VERIFIER_atomic_end();
            return e;
        }
        __VERIFIER_atomic_end();
    }
}
void *producer(void *arg)
{
    for (int i = 1; i <= 3; i++)
        enq(i);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (int i = 1; i <= 3; i++)
        assert(deq() == i);
    pthread_join(thread, 0);
    return 0;
}

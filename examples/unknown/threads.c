// A thread turns as often as a number from outside says: there is no largest number of contexts.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static unsigned turn = 1, count;

static void *worker(void *unused) {
    (void)unused;
    for (int left = __VERIFIER_nondet_int(); left > 0; left--)
        turn = turn * turn + 2;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    while (__VERIFIER_nondet_int())
        if (turn % 2 == 0)
            count = 2;
    assert(count <= 1);
    return 0;
}

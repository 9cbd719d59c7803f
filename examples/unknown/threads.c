// A thread waits in a loop for a number from outside: there is no largest number of contexts.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int turn, count;

static void *worker(void *unused) {
    (void)unused;
    while (__VERIFIER_nondet_int())
        turn = 1 - turn;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    while (__VERIFIER_nondet_int())
        if (turn == 1)
            count = 1;
    assert(count <= 1);
    return 0;
}

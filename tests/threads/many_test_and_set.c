// gnomon: true
// Any number of threads take a lock that is one word.
extern void reach_error(void);
extern void __VERIFIER_assume(int);
#include <pthread.h>

int word, inside;

void __VERIFIER_atomic_take(int *was)
{
    *was = word;
    word = 1;
}

void *one(void *argument)
{
    int was;
    for (;;) {
        __VERIFIER_atomic_take(&was);
        while (was)
            __VERIFIER_atomic_take(&was);
        inside = inside + 1;
        if (inside != 1)
            reach_error();
        inside = inside - 1;
        word = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t made;
    while (1)
        pthread_create(&made, 0, one, 0);
    return 0;
}

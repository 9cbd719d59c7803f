// gnomon: false
// The number is stored although another one may have been stored meanwhile.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#include <pthread.h>

int largest = -2147483647 - 1;

void __VERIFIER_atomic_exchange(int expected, int number, int *done)
{
    *done = 1;
    largest = number;
}

void *one(void *argument)
{
    int number = __VERIFIER_nondet_int();
    int done = 0;
    while (!done) {
        int seen = largest;
        if (number <= seen)
            break;
        __VERIFIER_atomic_exchange(seen, number, &done);
    }
    if (largest < number)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t made;
    while (1)
        pthread_create(&made, 0, one, 0);
    return 0;
}

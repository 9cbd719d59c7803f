// gnomon: false
// Two of any number of threads can be the first.
extern void reach_error(void);
extern void __VERIFIER_assume(int);
#include <pthread.h>

unsigned came, counted;

void __VERIFIER_atomic_come(void)
{
    __VERIFIER_assume(came != 0xffffffffu);
    came = came + 1;
}

void *one(void *argument)
{
    unsigned own = 0;
    unsigned before = came;
    __VERIFIER_atomic_come();
    if (before == 0) {
        counted = counted + 1;
        own = own + 1;
        if (counted != own)
            reach_error();
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

// gnomon: false
// Threads that are made by one call have numbers of their own.
extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
#include <pthread.h>

unsigned long first;

void *one(void *argument)
{
    __VERIFIER_atomic_begin();
    if (first == 0)
        first = pthread_self();
    __VERIFIER_atomic_end();
    if (first != pthread_self())
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

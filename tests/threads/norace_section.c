// gnomon: true --thread-errors race
// Accesses in atomic sections race with nothing.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int count;

void *work(void *arg)
{
    __VERIFIER_atomic_begin();
    count = count + 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    return count - 2;
}

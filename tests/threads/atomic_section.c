// gnomon: true
// SV-COMP's atomic functions and sections are one step.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int count;

void __VERIFIER_atomic_add(int n)
{
    count = count + n;
}

void *one(void *argument)
{
    __VERIFIER_atomic_add(1);
    return 0;
}

void *other(void *argument)
{
    __VERIFIER_atomic_begin();
    count = count + 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(count == 2);
    return 0;
}

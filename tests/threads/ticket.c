// gnomon: unknown --only-contexts --contexts 2
// A ticket lock: no error up to the bound.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
int next, serving, inside;

void *one(void *argument)
{
    int mine = __sync_fetch_and_add(&next, 1);
    __VERIFIER_assume(serving == mine);
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    serving = serving + 1;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, one, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}

// gnomon: true
// Peterson: at most one thread is inside; what waits gives up. No error up to the bound.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
int flag1, flag2, turn, inside;

void *one(void *argument)
{
    flag1 = 1;
    turn = 1;
    __VERIFIER_assume(!(flag2 && turn == 1));
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    flag1 = 0;
    return 0;
}

void *other(void *argument)
{
    flag2 = 1;
    turn = 0;
    __VERIFIER_assume(!(flag1 && turn == 0));
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    flag2 = 0;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}

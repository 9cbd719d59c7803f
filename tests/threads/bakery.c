// gnomon: true
// Lamport's bakery for two: no error up to the bound.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
int number1, number2, choosing1, choosing2, inside;

void *one(void *argument)
{
    choosing1 = 1;
    int seen = number2;
    number1 = seen + 1;
    choosing1 = 0;
    __VERIFIER_assume(!choosing2);
    __VERIFIER_assume(number2 == 0 || number1 <= number2);
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    number1 = 0;
    return 0;
}

void *other(void *argument)
{
    choosing2 = 1;
    int seen = number1;
    number2 = seen + 1;
    choosing2 = 0;
    __VERIFIER_assume(!choosing1);
    __VERIFIER_assume(number1 == 0 || number2 < number1);
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    number2 = 0;
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

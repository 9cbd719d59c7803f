// gnomon: false
// Any number of threads draw numbers, but two can draw the same.
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
#include <pthread.h>

unsigned drawn, served, user;

void draw(unsigned *mine)
{
    __VERIFIER_assume(drawn != 0xffffffffu);
    *mine = drawn;
    drawn = drawn + 1;
}

void *one(void *argument)
{
    unsigned mine;
    draw(&mine);
    while (served != mine)
        ;
    user = mine;
    if (user != mine)
        reach_error();
    served = served + 1;
    return 0;
}

int main(void)
{
    pthread_t made;
    while (__VERIFIER_nondet_int())
        pthread_create(&made, 0, one, 0);
    return 0;
}

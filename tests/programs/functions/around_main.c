// gnomon: true
// Constructors run by priority before main, handlers of atexit last first behind it, and then destructors.
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int order, input;

__attribute__((constructor(300))) static void second(void)
{
    if (order != 1)
        reach_error();
    order = 2;
}
__attribute__((constructor(200))) static void first(void) { order = 1; }
__attribute__((destructor)) static void last(void)
{
    if (order != 5 || input == 7)
        reach_error();
}
static void registered_first(void)
{
    if (order != 4)
        reach_error();
    order = 5;
}
static void registered_second(void)
{
    if (order != 3)
        reach_error();
    order = 4;
}

int main(void)
{
    if (order != 2)
        reach_error();
    order = 3;
    input = __VERIFIER_nondet_int();
    if (input == 7)
        _Exit(1);
    atexit(registered_first);
    atexit(registered_second);
    if (input < 0)
        exit(1);
    return 0;
}

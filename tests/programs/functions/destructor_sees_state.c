// gnomon: false
// What main leaves is seen by a destructor, and by a function that exit calls.
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
// inputs: 3

static int state;
__attribute__((destructor)) static void look(void)
{
    if (state == 3)
        reach_error();
}
int main(void)
{
    state = __VERIFIER_nondet_int();
    if (state > 0)
        exit(0);
    return 0;
}

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int turn(int x, int i)
{
    if (i % 3 == 0)
        return x + 2;
    if (i % 3 == 1)
        return x * 3;
    return x - 1;
}

int main(void)
{
    int x = __VERIFIER_nondet_uchar();
    for (int i = 0; i < 7; i++)
        x = turn(x, i);
    assert(x != 112);
    return 0;
}

// gnomon: true
// Enumerators with explicit values are what the arithmetic says.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

enum code { OK = 0, WARN = 10, BAD, WORSE = BAD * 2, LAST };

int main(void)
{
    enum code c = OK;
    int n = __VERIFIER_nondet_int();
    if (n > 0)
        c = WARN;
    if (n > 1)
        c = WORSE;
    assert(c == 0 || c == 10 || c == 22);
    assert(LAST == 23 && BAD == 11);
    return 0;
}

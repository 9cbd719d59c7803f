// gnomon: true
// A part of a record is cleared.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <string.h>

struct record {
    int key;
    char name[12];
};

int main(void)
{
    struct record r;
    unsigned n = __VERIFIER_nondet_uchar();
    if (n > sizeof r)
        n = sizeof r;
    memset(&r, 0, n);
    return 0;
}

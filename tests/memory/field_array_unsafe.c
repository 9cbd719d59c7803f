// gnomon: false
// An index is checked against the length that the record says, which is too large.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

struct buffer {
    unsigned length;
    int items[4];
};

int main(void)
{
    struct buffer *b = malloc(sizeof *b);
    b->length = __VERIFIER_nondet_uchar();
    if (b->length > 5)
        b->length = 5;
    unsigned i = __VERIFIER_nondet_uchar();
    if (i < b->length)
        b->items[i] = 1;
    free(b);
    return 0;
}

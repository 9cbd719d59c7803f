// gnomon: true
// An index is checked against the length that the record says.
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
    if (b->length > 4)
        b->length = 4;
    unsigned i = __VERIFIER_nondet_uchar();
    if (i < b->length)
        b->items[i] = 1;
    free(b);
    return 0;
}

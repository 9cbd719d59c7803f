// gnomon: true
// A pointer that nobody wrote may lead anywhere outside, but not to a local variable.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct request { int *buffer; int length; };
int main(void)
{
    struct request r;
    struct request *p = &r;
    int own = 3;
    int *q = &own;
    p->length = 1;
    if (__VERIFIER_nondet_int())
        *q = 3;
    if (own != 3 || p->length != 1)
        reach_error();
    return 0;
}

// gnomon: false
// A chain of pointer assignments ends at the wrong variable for one input.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = 1, b = 2, c = 3;
    int *p = &a, *q = &b, *r = &c;
    int key = __VERIFIER_nondet_int();
    if (key & 1)
        p = q;
    if (key & 2)
        q = r;
    if (key & 4)
        r = p;
    if (key & 8)
        p = q;
    *p = 10;
    if (*r == 2 && c == 10)
        reach_error();
    return 0;
}

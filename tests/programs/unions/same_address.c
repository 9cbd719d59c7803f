// gnomon: true
// All members of a union begin at its address.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

union any {
    char c;
    long l;
    void *p;
};

int main(void)
{
    union any a;
    a.l = __VERIFIER_nondet_int();
    if ((void *)&a != (void *)&a.c || (void *)&a.c != (void *)&a.p)
        reach_error();
    long *q = &a.l;
    *q = 0;
    if (a.c != 0)
        reach_error();
    return 0;
}

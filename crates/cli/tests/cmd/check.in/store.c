extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[4] = {0, 0, 0, 0}, *p = a;
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 4)
        return 0;
    p[i] = 1;
    if (i > 4)
        reach_error();
    return 0;
}

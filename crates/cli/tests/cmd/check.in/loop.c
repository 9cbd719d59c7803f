extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int a[4], *p = a;
    for (int i = 0; i < 4; i++)
        p[i] = __VERIFIER_nondet_int();
    if (p != a)
        reach_error();
    return 0;
}

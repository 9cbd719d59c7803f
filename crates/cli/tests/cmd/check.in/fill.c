extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a[3];
    for (int i = 0; i <= 3; i++)
        a[i] = __VERIFIER_nondet_int();
    return 0;
}

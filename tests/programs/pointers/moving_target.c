// gnomon: false
// The pointer is moved between the test and the use of what it points to.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int safe = 1, unsafe = -1;
    int *p = &safe;
    for (int i = 0; i < 25; i++) {
        if (*p > 0) {
            if (i == 20 && __VERIFIER_nondet_int() == 0)
                p = &unsafe;
            if (*p < 0)
                __VERIFIER_error();
        }
    }
    return 0;
}

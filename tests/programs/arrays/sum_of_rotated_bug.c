// gnomon: false
// An element is forgotten by the rotation, so the sums differ.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int balance(const int *x) {
    int result = 0;
    for (int i = 0; i < 40; i++) {
        if (x[i] % 2 == 0)
            result += x[i];
        else
            result -= 1;
    }
    return result;
}

int main(void) {
    int x[40];
    for (int i = 0; i < 40; i++)
        x[i] = __VERIFIER_nondet_int() % 1000;
    int before = balance(x);
    for (int i = 0; i < 39; i++)
        x[i] = x[i + 1];
    x[39] = x[0];
    if (balance(x) != before)
        reach_error();
    return 0;
}

// gnomon: true
// A pointer is set exactly when a flag is, and is used under the flag only.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int device_register = 3;

int main(void)
{
    int *dev = 0;
    int ready = 0;
    if (__VERIFIER_nondet_int() > 10) {
        dev = &device_register;
        ready = 1;
    }
    int n = __VERIFIER_nondet_int();
    while (n > 0) {
        if (ready) {
            if (!dev)
                reach_error();
            *dev = n;
        }
        n--;
    }
    return 0;
}

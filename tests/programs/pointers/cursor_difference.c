// gnomon: true
// The difference of two cursors equals the number of steps taken, for any number of steps.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static char window[4096];

int main(void)
{
    char *p = window;
    int steps = 0;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 4096)
        return 0;
    while (steps < n) {
        p++;
        steps++;
    }
    if (p - window != n)
        reach_error();
    return 0;
}

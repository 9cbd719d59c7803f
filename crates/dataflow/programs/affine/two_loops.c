// gnomon: true
// A second loop undoes what the first one did.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = 0, i = 0, left;
    while (n < 500 && __VERIFIER_nondet_int()) {
        n++;
        i += 2;
    }
    left = n;
    while (left > 0) {
        left--;
        i -= 2;
    }
    if (i != 0)
        reach_error();
    return 0;
}

// gnomon: true
// Abstractions from Proofs, Example 1: a < c - 2 and the like show the path infeasible.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int b = __VERIFIER_nondet_int();
    int a, c;
    if (b > 1000000)
        return 0;
    if (b > 0) {
        c = 2 * b;
        a = b;
        a = a - 1;
        if (a < b)
            if (a == c)
                reach_error();
    }
    return 0;
}

// gnomon: true
// One counter goes up while the other goes down: their sum is constant.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    int up = 0, down = n;
    while (down > 0) {
        up++;
        down--;
    }
    if (up != n)
        reach_error();
    return 0;
}

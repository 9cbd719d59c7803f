// gnomon: true
// The Towers of Hanoi take at least as many moves as there are disks.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int moves;

static void hanoi(int disks)
{
    if (disks == 0)
        return;
    hanoi(disks - 1);
    moves++;
    hanoi(disks - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 10)
        return 0;
    hanoi(n);
    if (moves < n)
        reach_error();
    return 0;
}

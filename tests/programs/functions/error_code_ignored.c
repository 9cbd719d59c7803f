// gnomon: false
// The result of the second step is not looked at.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int done_steps;

static int step(int number)
{
    if (__VERIFIER_nondet_int() < 0)
        return -1;
    if (done_steps != number - 1)
        reach_error();
    done_steps = number;
    return 0;
}

int main(void)
{
    if (step(1))
        return 1;
    step(2);
    return step(3);
}

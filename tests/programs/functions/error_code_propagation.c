// gnomon: true
// A failing step stops the sequence, so later steps run only if all before succeeded.
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
    int rc = step(1);
    if (rc)
        return rc;
    rc = step(2);
    if (rc)
        return rc;
    rc = step(3);
    if (!rc && done_steps != 3)
        reach_error();
    return rc;
}

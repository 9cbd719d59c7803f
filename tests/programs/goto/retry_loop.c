// gnomon: true
// A retry made with goto gives up after its number of attempts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int attempts = 0;
    int limit = __VERIFIER_nondet_int();
    if (limit < 1)
        return 0;
again:
    attempts++;
    if (attempts > limit)
        reach_error();
    if (__VERIFIER_nondet_int() != 0 && attempts < limit)
        goto again;
    return 0;
}

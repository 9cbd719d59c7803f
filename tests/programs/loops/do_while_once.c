// gnomon: true
// A do-while loop runs at least once, so its flag is set.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int done = 0, attempts = 0;
    do {
        attempts++;
        if (attempts > 5)
            break;
        done = 1;
    } while (__VERIFIER_nondet_int());
    if (!done || attempts < 1)
        reach_error();
    return 0;
}

// gnomon: false
// A chain of conditional operators associates to the right, not as the author thought.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int size = x < 10 ? 1 : x < 5 ? 2 : 3;
    if (x < 5 && size != 2)
        reach_error();
    return 0;
}

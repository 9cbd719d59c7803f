// gnomon: false
// Three marks in an array of three can leave one place unmarked.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    int marked[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        marked[__VERIFIER_nondet_uint() % 3] = 1;
    if (!marked[0] || !marked[1] || !marked[2])
        reach_error();
    return 0;
}

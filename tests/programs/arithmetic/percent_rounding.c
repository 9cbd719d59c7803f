// gnomon: false
// Two rounded percentages do not always add up to one hundred.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned yes = __VERIFIER_nondet_uint() % 1000;
    unsigned no = __VERIFIER_nondet_uint() % 1000;
    unsigned all = yes + no;
    if (all == 0)
        return 0;
    unsigned p = 100 * yes / all;
    unsigned q = 100 * no / all;
    if (p + q != 100)
        reach_error();
    return 0;
}

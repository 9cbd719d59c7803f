// gnomon: false
// Two backward jumps share a counter, which passes its limit of twenty in steps of three and two.
// inputs: 1 0
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int count = 0;
first:
    count += 3;
    if (count < 15 && __VERIFIER_nondet_int())
        goto first;
second:
    count += 2;
    if (count == 20)
        reach_error();
    if (count < 19)
        goto second;
    return 0;
}

// gnomon: true
// A loop with two entries keeps its invariant from both.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x, y;
    if (__VERIFIER_nondet_int()) {
        x = 0;
        y = 0;
        goto middle;
    }
    x = 1;
    y = 1;
top:
    if (x >= 1000)
        goto done;
    x++;
middle:
    if (x != y && x != y + 1)
        reach_error();
    y = x;
    if (__VERIFIER_nondet_int())
        goto top;
done:
    if (x != y)
        reach_error();
    return 0;
}

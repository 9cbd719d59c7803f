// gnomon: true
// What goes out of one account comes into another: the sum stays.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int from = 100, to = 20, fees = 0;
    while (from > 3 && __VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            from -= 3;
            to += 2;
            fees += 1;
        } else {
            from -= 1;
            to += 1;
        }
    }
    if (from + to + fees != 120)
        reach_error();
    return 0;
}

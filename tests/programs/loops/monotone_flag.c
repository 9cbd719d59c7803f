// gnomon: true
// Once the overflow flag is set it stays set, and the counter then stays at its limit.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int count = 0, saturated = 0;
    while (__VERIFIER_nondet_int()) {
        if (count == 255)
            saturated = 1;
        else
            count++;
        if (saturated && count != 255)
            reach_error();
    }
    if (count < 0 || count > 255)
        reach_error();
    return 0;
}

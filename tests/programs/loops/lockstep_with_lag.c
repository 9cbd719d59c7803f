// gnomon: true
// The consumer follows the producer and is never ahead of it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int produced = 0, consumed = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (produced < 1000000000)
                produced++;
        } else if (consumed < produced) {
            consumed++;
        }
    }
    if (consumed > produced)
        reach_error();
    return 0;
}

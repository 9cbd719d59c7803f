// gnomon: false
// The producer checks for room with the wrong comparison and gets five ahead.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int produced = 0, consumed = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() > 0) {
            if (produced - consumed <= 4 && produced < 1000)
                produced++;
        } else if (consumed < produced) {
            consumed++;
        }
        if (produced - consumed > 4)
            reach_error();
    }
    return 0;
}

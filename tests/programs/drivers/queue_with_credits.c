// gnomon: true
// A network driver sends only while it has credits; credits and frames in flight are constant together.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int window = __VERIFIER_nondet_int();
    if (window < 1 || window > 1000)
        return 0;
    int credits = window, in_flight = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (credits > 0) {
                credits--;
                in_flight++;
            }
        } else if (in_flight > 0) {
            in_flight--;
            credits++;
        }
    }
    if (credits + in_flight != window || in_flight > window || credits < 0)
        reach_error();
    return 0;
}

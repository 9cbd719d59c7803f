// gnomon: true
// Nested conditions exclude one another, so the innermost branch is dead.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int temperature = __VERIFIER_nondet_int();
    int pressure = __VERIFIER_nondet_int();
    if (temperature > 100) {
        if (pressure < 10) {
            if (temperature < 50 || pressure > 20)
                reach_error();
        } else if (pressure <= 9) {
            reach_error();
        }
    }
    return 0;
}

// gnomon: false
// What one case of a switch leaves behind is not lost where the cases meet.
// inputs: 2 3
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int kind = __VERIFIER_nondet_int(), sum = 0, seen = 0;
    switch (kind) {
    case 1:
        sum = 10;
        break;
    case 2:
        sum = 20;
        seen = 1;
        break;
    default:
        sum = 30;
    }
    int more = __VERIFIER_nondet_int();
    if (more > 2)
        sum += seen;
    if (sum == 21)
        reach_error();
    return 0;
}

// gnomon: false
// A break leaves only the inner switch, and the outer one falls through.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int major = __VERIFIER_nondet_int();
    int minor = __VERIFIER_nondet_int();
    int old = 0, modern = 0;
    switch (major) {
    case 1:
        switch (minor) {
        case 0:
            old = 1;
            break;
        default:
            old = 2;
            break;
        }
    case 2:
        modern = 1;
        break;
    }
    if (old && modern)
        reach_error();
    return 0;
}

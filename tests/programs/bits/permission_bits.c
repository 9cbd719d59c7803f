// gnomon: true
// Write permission implies read permission, as every grant keeps to it.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

enum { READ = 1, WRITE = 2, EXECUTE = 4 };

int main(void)
{
    unsigned rights = 0;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            rights |= READ;
            break;
        case 2:
            rights |= WRITE | READ;
            break;
        case 3:
            rights ^= EXECUTE;
            break;
        case 4:
            rights &= ~WRITE;
            break;
        default:
            rights = 0;
        }
        if ((rights & WRITE) && !(rights & READ))
            reach_error();
    }
    return 0;
}

// gnomon: true
// A switch on a remainder covers all its values.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    int r;
    switch (x % 3) {
    case 0:
        r = 0;
        break;
    case 1:
        r = 1;
        break;
    case 2:
        r = 2;
        break;
    default:
        reach_error();
        return 1;
    }
    if ((x - r) % 3 != 0)
        reach_error();
    return 0;
}

// gnomon: true
// Levels that fall through on purpose accumulate the rights of the levels below.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned level = __VERIFIER_nondet_uint();
    int rights = 0;
    switch (level) {
    default:
        return 0;
    case 3:
        rights += 4;
        /* fall through */
    case 2:
        rights += 2;
        /* fall through */
    case 1:
        rights += 1;
        /* fall through */
    case 0:
        break;
    }
    if (rights != (1 << level) - 1)
        reach_error();
    return 0;
}

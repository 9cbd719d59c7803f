// gnomon: false
// A loop that is entered in its middle by a switch copies one element too many for the count zero.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned count = __VERIFIER_nondet_uint();
    if (count > 20)
        return 0;
    unsigned copied = 0;
    unsigned rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            copied++;
            /* fall through */
    case 3:
            copied++;
            /* fall through */
    case 2:
            copied++;
            /* fall through */
    case 1:
            copied++;
        } while (rounds > 0 && --rounds > 0);
    }
    if (copied != count)
        reach_error();
    return 0;
}

// gnomon: true
// A lookup table of squares is monotone where it is consulted.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static const unsigned char squares[] = {0, 1, 4, 9, 16, 25, 36, 49};

int main(void)
{
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 6)
        return 0;
    if (squares[i] > squares[i + 1])
        reach_error();
    if (squares[i] != i * i)
        reach_error();
    return 0;
}

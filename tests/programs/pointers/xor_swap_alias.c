// gnomon: false
// The exclusive-or swap destroys the value when both pointers are the same.
extern unsigned int __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void xor_swap(unsigned *a, unsigned *b)
{
    *a ^= *b;
    *b ^= *a;
    *a ^= *b;
}

int main(void)
{
    unsigned cells[2];
    cells[0] = __VERIFIER_nondet_uint();
    cells[1] = __VERIFIER_nondet_uint();
    unsigned first = cells[0];
    int i = __VERIFIER_nondet_int() != 0;
    int j = __VERIFIER_nondet_int() != 0;
    xor_swap(&cells[i], &cells[j]);
    if (i == 0 && j == 0 && cells[0] != first)
        reach_error();
    return 0;
}

// gnomon: true
// A square is never two or three modulo four, wrap-around included.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned s = x * x;
    if (s % 4 >= 2)
        reach_error();
    return 0;
}

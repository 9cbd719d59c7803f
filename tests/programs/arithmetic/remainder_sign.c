// gnomon: false
// The remainder of a negative number is not positive in C.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int slot = x % 8;
    if (slot < 0)
        reach_error();
    return 0;
}

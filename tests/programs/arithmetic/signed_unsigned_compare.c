// gnomon: false
// A negative int compared with an unsigned number counts as huge.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    int temperature = __VERIFIER_nondet_int();
    unsigned limit = 100;
    if (temperature < 0 && temperature > (int)-1000) {
        if (temperature > limit)
            reach_error();
    }
    return 0;
}

// gnomon: false
// A stride of three from one hits the forbidden value sixteen.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 1;
    while (__VERIFIER_nondet_int()) {
        x += 3;
        if (x > 40)
            x = 1;
        if (x == 16)
            reach_error();
    }
    return 0;
}

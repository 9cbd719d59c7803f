extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int locked = 0, x = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        if (locked)
            reach_error();
        locked = 1;
        if (x == 12345)
            reach_error();
        locked = 0;
    }
    return 0;
}

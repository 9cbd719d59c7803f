// gnomon: false
// The thirty-eighth call of a pump without an emptying in between overflows the tank.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int level = 0;
    while (1) {
        int pump = __VERIFIER_nondet_int();
        if (pump == 0)
            break;
        level += 3;
        if (pump < 0)
            level = 0;
        if (level > 112)
            __VERIFIER_error();
    }
    return 0;
}

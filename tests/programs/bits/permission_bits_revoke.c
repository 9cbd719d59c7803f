// gnomon: false
// Revoking the read permission leaves the write permission behind.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

enum { READ = 1, WRITE = 2, EXECUTE = 4 };

int main(void)
{
    unsigned rights = 0;
    for (;;) {
        int command = __VERIFIER_nondet_int();
        if (command < 0)
            break;
        switch (command % 4) {
        case 1:
            rights |= READ;
            break;
        case 2:
            rights |= WRITE | READ;
            break;
        case 3:
            rights &= ~READ;
            break;
        }
        if ((rights & WRITE) && !(rights & READ))
            reach_error();
    }
    return 0;
}

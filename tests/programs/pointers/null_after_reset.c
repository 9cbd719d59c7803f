// gnomon: false
// A reset clears the pointer but forgets the flag that guards it.
// inputs: 1 2 3
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int device_register;

int main(void)
{
    int *dev = 0;
    int ready = 0;
    for (;;) {
        int command = __VERIFIER_nondet_int();
        switch (command) {
        case 1:
            dev = &device_register;
            ready = 1;
            break;
        case 2:
            dev = 0;
            break;
        case 3:
            if (ready) {
                if (dev == 0)
                    reach_error();
                *dev = 1;
            }
            break;
        default:
            return 0;
        }
    }
}

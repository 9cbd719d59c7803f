// gnomon: true
// A small stack interpreter keeps its stack pointer within bounds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int stack[16];

int main(void)
{
    int sp = 0;
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            if (sp == 16)
                return 1;
            stack[sp] = __VERIFIER_nondet_int() & 0xff;
            sp++;
            break;
        case 2:
            if (sp < 2)
                return 1;
            stack[sp - 2] = (stack[sp - 2] + stack[sp - 1]) & 0xff;
            sp--;
            break;
        case 3:
            if (sp < 1)
                return 1;
            sp--;
            break;
        default:
            return 0;
        }
        if (sp < 0 || sp > 16)
            reach_error();
    }
}

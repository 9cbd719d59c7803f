// gnomon: false
// The duplicate instruction of the interpreter does not check for an empty stack.
// inputs: 3
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int sp = 0;
    for (int pc = 0; pc < 30; pc++) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            sp++;
            break;
        case 2:
            if (sp < 2)
                return 1;
            sp--;
            break;
        case 3:
            if (sp < 1)
                reach_error();
            sp++;
            break;
        default:
            return 0;
        }
    }
    return 0;
}

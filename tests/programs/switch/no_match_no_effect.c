// gnomon: true
// A switch without a matching case and without default changes nothing.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int touched = 0;
    switch (x) {
    case 5:
    case -5:
        touched = x;
        break;
    }
    if (touched && touched != 5 && touched != -5)
        reach_error();
    if (x == 6 && touched)
        reach_error();
    return 0;
}

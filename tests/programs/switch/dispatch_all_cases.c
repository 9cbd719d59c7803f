// gnomon: true
// Every case of a dispatch sets the result; the default sets an error.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int op = __VERIFIER_nondet_int();
    int result = -1000;
    switch (op) {
    case 0:
        result = 1;
        break;
    case 1:
    case 2:
        result = 2;
        break;
    case 7:
        result = 3;
        break;
    default:
        result = -1;
    }
    if (result == -1000)
        reach_error();
    if (result == 2 && op != 1 && op != 2)
        reach_error();
    return 0;
}

// gnomon: false
// The error function is an entry of a table.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
// inputs: 1

static void nothing(void) {}
static void (*table[2])(void) = {nothing, reach_error};
int main(void)
{
    table[__VERIFIER_nondet_int() & 1]();
    return 0;
}

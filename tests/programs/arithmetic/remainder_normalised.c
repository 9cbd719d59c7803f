// gnomon: true
// A remainder made positive is a valid index.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int slot = x % 8;
    if (slot < 0)
        slot += 8;
    if (slot < 0 || slot > 7)
        reach_error();
    return 0;
}

// gnomon: false
// A cursor that advances by two passes the odd end marker without seeing it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int buffer[16] = {0};
    int length = __VERIFIER_nondet_int();
    if (length < 1 || length > 12)
        return 0;
    int *p = buffer, *end = buffer + length;
    while (p != end && p < buffer + 14)
        p += 2;
    if (p > end)
        reach_error();
    return 0;
}

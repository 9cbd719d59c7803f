// gnomon: false
// The retry jumps behind the place where the buffer is reset.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int length, attempts = 0;
    length = 0;
again:
    attempts++;
    length += 4;
    if (length > 16)
        reach_error();
    if (__VERIFIER_nondet_int() && attempts < 10)
        goto again;
    return 0;
}

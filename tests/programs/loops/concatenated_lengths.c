// gnomon: true
// Two counters of one loop that nothing compares: their distance bounds one by the other.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int main(void)
{
    int length = 0, more = 0;
    while (__VERIFIER_nondet_int() && length < 1000000)
        length++;
    if (length >= 100)
        return 0;
    while (__VERIFIER_nondet_int() && length < 1000000) {
        length++;
        more++;
    }
    if (more >= 100)
        return 0;
    if (length >= 200)
        __VERIFIER_error();
    return 0;
}

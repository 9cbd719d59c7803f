// gnomon: false
// The simplified rule fails for full centuries.
// inputs: 1900
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned year = __VERIFIER_nondet_uint();
    if (year < 1900 || year > 2100)
        return 0;
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (leap != (year % 4 == 0))
        reach_error();
    return 0;
}

// gnomon: true
// Two ways to compute whether a year is a leap year agree.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned year = __VERIFIER_nondet_uint() % 10000;
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int other;
    if (year % 400 == 0)
        other = 1;
    else if (year % 100 == 0)
        other = 0;
    else
        other = year % 4 == 0;
    if (leap != other)
        reach_error();
    return 0;
}

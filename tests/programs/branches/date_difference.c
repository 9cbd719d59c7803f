// gnomon: false
// The number of days in February is wrong in the year that is checked last.
// inputs: 2 2000
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void __VERIFIER_assert(int cond)
{
    if (!cond) {
    ERROR:
        reach_error();
        abort();
    }
}

static int days(int month, int year)
{
    if (month == 2)
        return year % 4 == 0 && year % 100 != 0 ? 29 : 28;
    if (month == 4 || month == 6 || month == 9 || month == 11)
        return 30;
    return 31;
}

int main(void)
{
    int month = __VERIFIER_nondet_int();
    int year = __VERIFIER_nondet_int();
    if (month < 1 || month > 12 || year < 1996 || year > 2004)
        return 0;
    int d = days(month, year);
    __VERIFIER_assert(d >= 28 && d <= 31);
    __VERIFIER_assert(month != 2 || year % 4 != 0 || d == 29);
    return 0;
}

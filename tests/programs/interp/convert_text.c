// gnomon: run 0
#include <stdio.h>
#include <stdlib.h>
#include <ctype.h>
#include <errno.h>
int main(void)
{
    printf("%d %d %ld %d\n", atoi("42"), atoi("  -17x"), atol("123456789"), atoi("junk"));
    char *e;
    printf("%ld ", strtol("0x1fG", &e, 0));
    printf("%s|", e);
    printf("%ld ", strtol("077", &e, 0));
    printf("%s|", e);
    printf("%ld ", strtol("zz", &e, 36));
    printf("%s|", e);
    printf("%ld ", strtol("  +5 6", &e, 10));
    printf("[%s]\n", e);
    errno = 0;
    long long big = strtoll("99999999999999999999", &e, 10);
    printf("%lld %d\n", big, errno == ERANGE);
    printf("%llu\n", strtoull("18446744073709551615", 0, 10));
    printf("%g %g %g %g\n", strtod("3.25e2xyz", &e), atof("-.5"), strtod("0x1.8p3", 0), atof("inf"));
    printf("[%s]\n", e);
    for (int c = 0; c < 128; c += 7)
        printf("%d%d%d%d%d%d%d%d ", !!isalpha(c), !!isdigit(c), !!isspace(c), !!isupper(c), !!islower(c), !!ispunct(c), !!isxdigit(c), !!isprint(c));
    printf("\n%c%c%c %d\n", toupper('q'), tolower('Q'), toupper('1'), isalnum('_'));
    printf("%d %ld %lld\n", abs(-5), labs(-6L), llabs(-7LL));
    return 0;
}

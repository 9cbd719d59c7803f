// gnomon: run 0
#include <stdio.h>
static long long s[] = {0, 3, -3, 1LL << 40, -(1LL << 40), 9223372036854775807LL, -9223372036854775807LL - 1};
int main(void)
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            unsigned long long a = s[i], b = s[j];
            printf("%llu %llu %llu %llx", a + b, a - b, a * b, a ^ b);
            if (b)
                printf(" %llu %llu", a / b, a % b);
            if (s[j] != 0 && s[j] != -1)
                printf(" %lld %lld", s[i] / s[j], s[i] % s[j]);
            printf(" %d %d\n", s[i] < s[j], a < b);
        }
    return 0;
}

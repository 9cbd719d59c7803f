// gnomon: run 0
#include <stdio.h>
static int seeds[] = {0, 1, -1, 7, -7, 100, -100, 2147483647, -2147483647 - 1};
int main(void)
{
    int n = sizeof seeds / sizeof seeds[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int a = seeds[i], b = seeds[j];
            unsigned ua = a, ub = b;
            printf("%u %u %u ", ua + ub, ua - ub, ua * ub);
            printf("%d %d %d %d ", a & b, a | b, a ^ b, ~a);
            printf("%d%d%d%d%d%d ", a < b, a <= b, a > b, a >= b, a == b, a != b);
            if (b != 0 && b != -1)
                printf("%d %d ", a / b, a % b);
            if (ub != 0)
                printf("%u %u", ua / ub, ua % ub);
            printf("\n");
        }
    return 0;
}

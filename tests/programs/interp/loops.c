// gnomon: run 60
#include <stdio.h>
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        if (i == 3) continue;
        if (i == 8) break;
        sum += i;
    }
    printf("%d\n", sum);
    int k = 5;
    do { sum += k; } while (--k > 0);
    while (k < 7) { k++; if (k == 4) goto out; sum++; }
out:
    printf("%d %d\n", sum, k);
    for (;;) { if (sum++ > 50) break; }
    printf("%d\n", sum);
    int a = 0, b = 10;
    for (a = 0, b = 10; a < b; a++, b--) sum++;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (j == 1) continue;
            if (i == 2) break;
            printf("(%d,%d)", i, j);
        }
    printf("\n%d\n", sum);
    return sum + 3;
}

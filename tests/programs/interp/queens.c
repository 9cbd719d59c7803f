// gnomon: run 92
#include <stdio.h>
static int solve(unsigned row, unsigned d1, unsigned d2)
{
    if (row == 255) return 1;
    int n = 0;
    unsigned free_ = ~(row | d1 | d2) & 255;
    while (free_) {
        unsigned bit = free_ & -free_;
        free_ -= bit;
        n += solve(row | bit, (d1 | bit) << 1, (d2 | bit) >> 1);
    }
    return n;
}
int main(void)
{
    int n = solve(0, 0, 0);
    printf("%d\n", n);
    return n;
}

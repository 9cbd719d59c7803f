// gnomon: run 0
#include <stdio.h>
#include <string.h>
static char composite[20000];
int main(void)
{
    int count = 0;
    unsigned long sum = 0;
    for (int i = 2; i < 20000; i++) {
        if (composite[i]) continue;
        count++;
        sum += i;
        for (int j = i * 2; j < 20000; j += i) composite[j] = 1;
    }
    printf("%d %lu\n", count, sum);
    memset(composite, 0, sizeof composite);
    return 0;
}

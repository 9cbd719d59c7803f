// gnomon: run 0
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    for (int i = 0; i < 5; i++) printf("%d ", rand());
    srand(42);
    for (int i = 0; i < 5; i++) printf("%d ", rand() % 100);
    srand(0);
    printf("%d %d\n", rand(), RAND_MAX);
    return 0;
}

// gnomon: true
// Numbers are read into variables.
#include <stdio.h>
int main(void)
{
    int number;
    double other;
    return scanf("%d %lf", &number, &other);
}

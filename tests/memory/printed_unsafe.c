// gnomon: false
// What is printed has no end.
#include <stdio.h>
int main(void)
{
    char text[4] = {1, 2, 3, 4};
    return puts(text);
}

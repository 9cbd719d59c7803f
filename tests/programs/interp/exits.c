// gnomon: run 7
#include <stdio.h>
#include <stdlib.h>
static void first(void) { printf("first\n"); }
static void second(void) { printf("second\n"); }
static void leave(int n) { if (n == 0) exit(7); leave(n - 1); }
int main(void)
{
    atexit(first);
    atexit(second);
    printf("main\n");
    leave(3);
    printf("never\n");
    return 1;
}

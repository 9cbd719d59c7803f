// gnomon: run 0
#include <stdio.h>
int main(int argc, char **argv)
{
    printf("%d %d %d\n", argc, argv[0] != 0, argv[argc] == 0);
    return argc - 1;
}

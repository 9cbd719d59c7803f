// gnomon: false
// The path of a file is freed before the file is opened.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *path = malloc(2);
    path[0] = 'a';
    path[1] = 0;
    if (__VERIFIER_nondet_int())
        free(path);
    FILE *file = fopen(path, "r");
    if (file)
        fclose(file);
    return 0;
}

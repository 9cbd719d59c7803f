// gnomon: true
// The path of a file is one of two constants.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const char *path = __VERIFIER_nondet_int() ? "a" : "b";
    FILE *file = fopen(path, "r");
    if (file)
        fclose(file);
    return 0;
}

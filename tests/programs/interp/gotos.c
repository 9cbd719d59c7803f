// gnomon: run 0
#include <stdio.h>
int main(void)
{
    int i = 0;
again:
    i++;
    if (i < 5) goto again;
    goto inside;
    while (i < 100) {
        i += 10;
inside:
        i += 1;
        printf("%d ", i);
        if (i > 40) goto done;
    }
done:
    printf("\n");
    static void *table[] = {&&a, &&b, &&c};
    int k = 0, out = 0;
next:
    if (k == 6) goto end;
    goto *table[k++ % 3];
a: out = out * 10 + 1; goto next;
b: out = out * 10 + 2; goto next;
c: out = out * 10 + 3; goto next;
end:
    printf("%d\n", out);
    return 0;
}

// gnomon: run 0
#include <stdio.h>
#include <wchar.h>
#include <stddef.h>
int main(void)
{
    wchar_t w[] = L"w\u00e9ide";
    int n = 0;
    for (wchar_t *p = w; *p; p++) n = n * 31 + *p;
    printf("%d %d\n", (int)(sizeof w / sizeof *w), n);
    char c = 'A' + 1, d = '\377', e = '\x80';
    printf("%d %d %d %d\n", c, d, e < 0, 'ab' == 'a' * 256 + 'b');
    const char *s = "caf\u00e9";
    int sum = 0;
    while (*s) sum += (unsigned char)*s++;
    printf("%d\n", sum);
    char q = '\'', b = '\\', nl = '\n', z = '\0';
    printf("%d %d %d %d %d\n", q, b, nl, z, L'x');
    printf("%s\n", "con" "cat" "\x41" "B");
    return 0;
}

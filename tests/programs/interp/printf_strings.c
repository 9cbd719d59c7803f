// gnomon: run 0
#include <stdio.h>
int main(void)
{
    const char *s = "hello";
    printf("[%s][%10s][%-10s][%.3s][%10.3s][%-10.3s][%.0s][%.10s]\n", s, s, s, s, s, s, s, s);
    printf("[%s][%.3s][%.6s]\n", (char *)0 ? "" : "x", "ab", "abcdefgh");
    char raw[3] = {'a', 'b', 'c'};
    printf("[%.3s][%.2s]\n", raw, raw);
    printf("%p %d\n", (void *)0, 5);
    char buf[32];
    int n = sprintf(buf, "%d-%s", 42, s);
    printf("%d %s\n", n, buf);
    n = snprintf(buf, 6, "%s %s", s, s);
    printf("%d [%s]\n", n, buf);
    n = snprintf(0, 0, "%d", 12345);
    printf("%d\n", n);
    puts("puts");
    putchar('c');
    putchar('\n');
    fputs("fputs\n", stdout);
    fprintf(stdout, "%s %d\n", "fprintf", 1);
    fputc('x', stdout);
    putc('\n', stdout);
    fwrite("abcdef\n", 1, 7, stdout);
    printf("tab\tquote\"back\\ oct\101 hex\x42 nul%c.\n", 0);
    fprintf(stderr, "to stderr\n");
    fflush(stdout);
    return 0;
}

// gnomon: run 0
#include <stdio.h>
#include <ctype.h>
static const char *p;
static int expr(void);
static int number(void) { int v = 0; while (isdigit((unsigned char)*p)) v = v * 10 + (*p++ - '0'); return v; }
static void blank(void) { while (*p == ' ') p++; }
static int factor(void) { blank(); int v; if (*p == '(') { p++; v = expr(); p++; } else if (*p == '-') { p++; v = -factor(); } else v = number(); blank(); return v; }
static int term(void) { int v = factor(); while (*p == '*' || *p == '/') { char o = *p++; int r = factor(); v = o == '*' ? v * r : v / r; } return v; }
static int expr(void) { int v = term(); while (*p == '+' || *p == '-') { char o = *p++; int r = term(); v = o == '+' ? v + r : v - r; } return v; }
int main(void)
{
    const char *in[] = {"1 + 2 * 3", "(1+2)*3", "-4 * (2 - 7) / 3", "100/7/2", "((((5))))"};
    for (int i = 0; i < 5; i++) { p = in[i]; printf("%s = %d\n", in[i], expr()); }
    int words = 0, lines = 0, inside = 0;
    for (const char *s = "one two\nthree  four\n\nfive"; *s; s++) { lines += *s == '\n'; if (isspace(*s)) inside = 0; else if (!inside) { inside = 1; words++; } }
    printf("%d %d\n", words, lines);
    return 0;
}

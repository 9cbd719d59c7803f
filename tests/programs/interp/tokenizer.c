// gnomon: run 0
#include <stdio.h>
#include <ctype.h>
#include <string.h>
enum kind { END, NUM, ID, OP };
struct token { enum kind k; union { long n; char id[8]; char op; } u; };
static struct token next(const char **s)
{
    struct token t = {END, {0}};
    while (isspace((unsigned char)**s)) ++*s;
    if (!**s) return t;
    if (isdigit((unsigned char)**s)) { t.k = NUM; t.u.n = 0; do t.u.n = t.u.n * 10 + *(*s)++ - '0'; while (isdigit((unsigned char)**s)); }
    else if (isalpha((unsigned char)**s)) { int i = 0; t.k = ID; memset(t.u.id, 0, 8); do if (i < 7) t.u.id[i++] = **s; while (isalnum((unsigned char)*++*s)); }
    else { t.k = OP; t.u.op = *(*s)++; }
    return t;
}
int main(void)
{
    const char *s = "x1 = 42*(yy+7) - longidentifier;";
    struct token t;
    while ((t = next(&s)).k != END)
        switch (t.k) { case NUM: printf("N%ld ", t.u.n); break; case ID: printf("I%s ", t.u.id); break; default: printf("O%c ", t.u.op); }
    printf("\n");
    return 0;
}

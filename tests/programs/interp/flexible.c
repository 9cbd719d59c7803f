// gnomon: run 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct str { unsigned len; char data[]; };
static struct str *make(const char *s) { unsigned n = strlen(s); struct str *r = malloc(sizeof *r + n + 1); r->len = n; memcpy(r->data, s, n + 1); return r; }
static struct str *join(struct str *a, struct str *b) { struct str *r = malloc(sizeof *r + a->len + b->len + 1); r->len = a->len + b->len; memcpy(r->data, a->data, a->len); strcpy(r->data + a->len, b->data); free(a); free(b); return r; }
int main(void)
{
    struct str *s = join(make("flexible "), make("arrays"));
    printf("%u %s %d\n", s->len, s->data, (int)sizeof *s);
    free(s);
    return 0;
}

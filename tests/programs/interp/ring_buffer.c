// gnomon: run 0
#include <stdio.h>
#include <string.h>
struct ring { unsigned head, tail; unsigned char data[8]; };
static int push(struct ring *r, unsigned char c) { if (r->head - r->tail == 8) return 0; r->data[r->head++ & 7] = c; return 1; }
static int pop(struct ring *r) { return r->head == r->tail ? -1 : r->data[r->tail++ & 7]; }
int main(void)
{
    struct ring r = {0xfffffffcu, 0xfffffffcu, {0}};
    const char *in = "the quick brown fox";
    char out[32];
    int n = 0;
    while (*in || r.head != r.tail) {
        for (int i = 0; i < 5 && *in; i++) if (push(&r, (unsigned char)*in)) in++; else break;
        for (int i = 0; i < 3; i++) { int c = pop(&r); if (c >= 0) out[n++] = (char)c; }
    }
    out[n] = 0;
    printf("%s %d %u\n", out, n, r.head);
    return strlen(out) != 19;
}

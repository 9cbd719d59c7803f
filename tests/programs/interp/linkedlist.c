// gnomon: run 0
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
struct link { struct link *next, *prev; };
struct item { int v; struct link l; };
#define entry(p) ((struct item *)((char *)(p) - offsetof(struct item, l)))
static void add(struct link *h, struct link *n) { n->next = h; n->prev = h->prev; h->prev->next = n; h->prev = n; }
static void del(struct link *n) { n->next->prev = n->prev; n->prev->next = n->next; }
int main(void)
{
    struct link head = {&head, &head};
    for (int i = 0; i < 10; i++) { struct item *it = malloc(sizeof *it); it->v = i * 3; add(&head, &it->l); }
    struct link *p, *next;
    for (p = head.next; p != &head; p = next) { next = p->next; if (entry(p)->v % 2) { del(p); free(entry(p)); } }
    for (p = head.prev; p != &head; p = p->prev) printf("%d ", entry(p)->v);
    struct link *cur = head.next, *rev = 0;
    head.prev->next = 0;
    while (cur) { next = cur->next; cur->next = rev; rev = cur; cur = next; }
    int s = 0;
    for (p = rev; p; p = next) { next = p->next; s = s * 2 + entry(p)->v; free(entry(p)); }
    printf("%d\n", s);
    return 0;
}

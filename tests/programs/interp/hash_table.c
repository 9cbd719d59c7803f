// gnomon: run 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { char *key; int value; struct entry *next; };
static struct entry *buckets[16];
static unsigned hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 + (unsigned char)*s++; return h; }
static struct entry **find(const char *k)
{
    struct entry **p = &buckets[hash(k) % 16];
    while (*p && strcmp((*p)->key, k) != 0) p = &(*p)->next;
    return p;
}
static void put(const char *k, int v)
{
    struct entry **p = find(k);
    if (!*p) { *p = malloc(sizeof **p); (*p)->key = strdup(k); (*p)->next = 0; }
    (*p)->value = v;
}
static int del(const char *k)
{
    struct entry **p = find(k), *e = *p;
    if (!e) return 0;
    *p = e->next;
    free(e->key);
    free(e);
    return 1;
}
int main(void)
{
    char name[16];
    for (int i = 0; i < 50; i++) { sprintf(name, "key%d", i * 7 % 50); put(name, i); }
    int gone = 0, sum = 0;
    for (int i = 0; i < 60; i += 4) { sprintf(name, "key%d", i); gone += del(name); }
    for (int b = 0; b < 16; b++) for (struct entry *e = buckets[b]; e; e = e->next) sum = sum * 3 + e->value & 0xffff;
    printf("%d %d %d\n", gone, sum, (*find("key5"))->value);
    for (int b = 0; b < 16; b++) while (buckets[b]) del(buckets[b]->key);
    return *find("key5") != 0;
}

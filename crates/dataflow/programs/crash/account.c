#include <stdlib.h>
#include "ledger.h"

struct account *find(struct account *list, int number)
{
    while (list && list->number != number)
        list = list->next;
    return list;
}

struct account *add(struct account *list, int number)
{
    struct account *new = malloc(sizeof *new);
    if (!new)
        return list;
    new->number = number;
    new->balance = 10 * number;
    new->next = list;
    return new;
}

struct account *drop(struct account *list, int number)
{
    struct account *old = find(list, number);
    if (!old)
        return list;
    if (old == list) {
        list = old->next;
        free(old);
    } else {
        free(old); /* the planted bug: it stays in the list */
    }
    return list;
}

int total(struct account *list)
{
    int sum = 0;
    while (list) {
        sum += list->balance; /* crash */
        list = list->next;
    }
    return sum;
}

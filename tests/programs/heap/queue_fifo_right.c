// gnomon: true
// A queue with pointers to both ends gives back the oldest item first.
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct item {
    int data;
    struct item *next;
};

struct queue {
    struct item *first, *last;
};

static int enqueue(struct queue *q, int data)
{
    struct item *i = malloc(sizeof *i);
    if (!i)
        return 0;
    i->data = data;
    i->next = 0;
    if (q->last)
        q->last->next = i;
    else
        q->first = i;
    q->last = i;
    return 1;
}

static int dequeue(struct queue *q)
{
    struct item *i = q->first;
    int data = i->data;
    q->first = i->next;
    if (!q->first)
        q->last = 0;
    free(i);
    return data;
}

int main(void)
{
    struct queue q = {0, 0};
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (!enqueue(&q, a) || !enqueue(&q, b))
        return 0;
    if (dequeue(&q) != a)
        reach_error();
    if (!enqueue(&q, c))
        return 0;
    if (dequeue(&q) != b || dequeue(&q) != c)
        reach_error();
    if (q.first || q.last)
        reach_error();
    return 0;
}

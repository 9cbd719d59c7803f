// gnomon: false
// A queue that links new nodes at the wrong end gives back the newest first.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct item {
    int data;
    struct item *next;
};

struct queue {
    struct item *first, *last;
};

static void enqueue(struct queue *q, int data)
{
    struct item *i = malloc(sizeof *i);
    if (!i)
        return;
    i->data = data;
    i->next = 0;
    if (!q->first) {
        q->first = q->last = i;
    } else {
        i->next = q->first;
        q->first = i;
    }
}

int main(void)
{
    struct queue q = {0, 0};
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    enqueue(&q, a);
    enqueue(&q, b);
    if (q.first && q.first != q.last && q.first->data != a)
        reach_error();
    return 0;
}

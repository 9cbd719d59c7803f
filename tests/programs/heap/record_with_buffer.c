// gnomon: true
// A record on the heap owns a buffer; its length never exceeds its capacity.
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct buffer {
    int *data;
    int length;
    int capacity;
};

static void append(struct buffer *b, int value)
{
    if (b->length == b->capacity)
        return;
    b->data[b->length] = value;
    b->length++;
}

int main(void)
{
    struct buffer *b = malloc(sizeof *b);
    if (!b)
        return 0;
    b->data = malloc(8 * sizeof(int));
    if (!b->data)
        return 0;
    b->length = 0;
    b->capacity = 8;
    while (__VERIFIER_nondet_int()) {
        append(b, __VERIFIER_nondet_int());
        if (b->length > b->capacity)
            reach_error();
    }
    free(b->data);
    free(b);
    return 0;
}

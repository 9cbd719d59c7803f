// gnomon: false
// The append checks for one more than the capacity.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct buffer {
    int *data;
    int length;
    int capacity;
};

static void append(struct buffer *b, int value)
{
    if (b->length > b->capacity)
        return;
    b->data[b->length] = value;
    b->length++;
}

int main(void)
{
    struct buffer *b = malloc(sizeof *b);
    if (!b)
        return 0;
    b->data = malloc(16 * sizeof(int));
    if (!b->data)
        return 0;
    b->length = 0;
    b->capacity = 10;
    while (__VERIFIER_nondet_int() >= 0) {
        append(b, 1);
        if (b->length > b->capacity)
            reach_error();
    }
    return 0;
}

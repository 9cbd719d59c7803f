// gnomon: true
// All values put into a list of at most five nodes lie in a range, and so does what is read back.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node *head = 0;
    for (int i = 0; i < 5; i++) {
        int v = __VERIFIER_nondet_int();
        if (v < 0 || v > 100)
            break;
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->value = v;
        fresh->next = head;
        head = fresh;
    }
    while (head) {
        if (head->value < 0 || head->value > 100)
            reach_error();
        head = head->next;
    }
    return 0;
}

// gnomon: false
// A key that was hung on the wrong side is not found by the search.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct tree {
    int key;
    struct tree *left, *right;
};

static struct tree *insert(struct tree *t, int key)
{
    struct tree *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return t;
    fresh->key = key;
    fresh->left = fresh->right = 0;
    if (!t)
        return fresh;
    struct tree *p = t;
    for (;;) {
        struct tree **side = key < p->key ? &p->left : &p->right;
        if (!*side) {
            if (p == t)
                *side = fresh;
            else
                p->left = fresh;
            return t;
        }
        p = *side;
    }
}

static int contains(const struct tree *t, int key)
{
    while (t && t->key != key)
        t = key < t->key ? t->left : t->right;
    return t != 0;
}

int main(void)
{
    struct tree *t = 0;
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    t = insert(t, a);
    t = insert(t, b);
    t = insert(t, c);
    if (!t || !t->left || !t->left->left)
        return 0;
    if (!contains(t, c))
        reach_error();
    return 0;
}

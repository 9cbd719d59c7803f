// gnomon: true
// The search in a binary tree of three keys finds exactly what was put in.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct tree {
    int key;
    struct tree *left, *right;
};

static struct tree *leaf(int key)
{
    struct tree *t = malloc(sizeof *t);
    if (t) {
        t->key = key;
        t->left = 0;
        t->right = 0;
    }
    return t;
}

static int contains(const struct tree *t, int key)
{
    while (t) {
        if (t->key == key)
            return 1;
        t = key < t->key ? t->left : t->right;
    }
    return 0;
}

int main(void)
{
    struct tree *root = leaf(10), *low = leaf(5), *high = leaf(15);
    if (!root || !low || !high)
        return 0;
    root->left = low;
    root->right = high;
    int k = __VERIFIER_nondet_int();
    int expected = k == 5 || k == 10 || k == 15;
    if (contains(root, k) != expected)
        reach_error();
    return 0;
}

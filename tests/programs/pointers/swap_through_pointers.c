// gnomon: true
// Swapping two inputs through pointers keeps their order relation.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int old_x = x, old_y = y;
    if (x > y)
        swap(&x, &y);
    if (x > y)
        reach_error();
    if (!((x == old_x && y == old_y) || (x == old_y && y == old_x)))
        reach_error();
    return 0;
}

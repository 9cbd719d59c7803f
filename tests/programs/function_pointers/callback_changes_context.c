// gnomon: false
// The second callback clears the context that the first one filled.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void each(int n, void (*f)(int, void *), void *context)
{
    for (int i = 0; i < n; i++)
        f(i, context);
}

static void add(int i, void *context)
{
    *(int *)context += i;
}

static void keep_last(int i, void *context)
{
    *(int *)context = i;
}

int main(void)
{
    int total = 0;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 8)
        return 0;
    each(n, __VERIFIER_nondet_int() ? add : keep_last, &total);
    if (total < n * (n - 1) / 2)
        reach_error();
    return 0;
}

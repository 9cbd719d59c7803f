// gnomon: true
// Abstractions from Proofs, Examples 2 and 3: inc returns its argument plus one, summarised over the formal parameter.
extern void reach_error(void);

static int inc(int x)
{
    x = x + 1;
    return x;
}

int main(void)
{
    int a, b;
    a = 0;
    b = inc(a);
    if (a != b - 1)
        reach_error();
    return 0;
}

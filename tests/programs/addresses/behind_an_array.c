// gnomon: unknown
// A pointer that went through an array may be one to the next array.
extern void reach_error(void);

static int a[2], b[2];
int main(void)
{
    int *p = a;
    for (int i = 0; i < 2; i++)
        p++;
    if (p == b)
        reach_error();
    return 0;
}

// gnomon: true
// Two pointers change places in each iteration, so that each counter gets half of the steps.
extern void reach_error(void);

int main(void)
{
    int a = 0, b = 0, *p = &a, *q = &b;
    for (int i = 0; i < 1000; i++) {
        *p += 1;
        int *t = p;
        p = q;
        q = t;
    }
    if (a != 500 || b != 500)
        reach_error();
    return 0;
}

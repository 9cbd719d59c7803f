int a, b;
int *p, *q;

void point(int *to)
{
    p = to;
}

int main(void)
{
    point(&a);
    q = p;
    p = &b;
    return *q;
}

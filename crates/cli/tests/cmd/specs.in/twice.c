extern int probe(int *);
static void init(void) {}
int main(void)
{
    int n = 1;
    init();
    if (probe(&n) > 0 && n == 1)
        init();
    return 0;
}

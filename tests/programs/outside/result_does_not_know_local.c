// gnomon: true
// A pointer from an unknown function is not one to a variable that nobody was told of.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

extern int *find(void);
int main(void)
{
    int x = 1;
    int *p = find();
    int *own = &x;
    if (p)
        *p = 2;
    if (*own != 1)
        reach_error();
    return 0;
}

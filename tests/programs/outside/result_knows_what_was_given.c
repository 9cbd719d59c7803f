// gnomon: unknown
// A function that was given an address may give it back later, or write there.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

extern void keep(int *);
extern int *find(void);
int main(void)
{
    int x = 1;
    keep(&x);
    x = 1;
    int *p = find();
    if (p)
        *p = 2;
    if (x != 1)
        reach_error();
    return 0;
}

// gnomon: unknown
// Two pointers from outside may be to the same object; nobody says that they are not.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void f(int *p, int *q)
{
    if (!p || !q)
        return;
    *p = 1;
    *q = 2;
    if (*p != 1)
        reach_error();
}

extern int *from_outside(void);

int main(void)
{
    f(from_outside(), from_outside());
    return 0;
}

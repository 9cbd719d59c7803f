// gnomon: false
// The function gives back a pointer to its own variable.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static int *kept;

static void keep(int value)
{
    int copy = value;
    kept = &copy;
}

int main(void)
{
    keep(__VERIFIER_nondet_int());
    return *kept == 7;
}

// gnomon: true
// The table is initialised at the first use and never again.
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_error(void);

static int initialised, initialisations;

static void initialise(void)
{
    initialisations++;
    initialised = 1;
}

static int lookup(void)
{
    if (!initialised)
        initialise();
    return initialisations;
}

int main(void)
{
    while (__VERIFIER_nondet_bool()) {
        if (lookup() != 1)
            __VERIFIER_error();
    }
    if (initialisations > 1)
        __VERIFIER_error();
    return 0;
}

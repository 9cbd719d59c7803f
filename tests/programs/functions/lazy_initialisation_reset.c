// gnomon: false
// A reset between two uses makes the initialisation run twice.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int initialised, initialisations;

static void initialise(void)
{
    initialisations++;
    initialised = 1;
}

int main(void)
{
    for (int i = 0; i < 6; i++) {
        int request = __VERIFIER_nondet_int();
        if (request == 0)
            initialised = 0;
        else if (!initialised)
            initialise();
        if (initialisations > 1)
            __VERIFIER_error();
    }
    return 0;
}

// gnomon: true
// Option flags from an enum: verbose and quiet are never set together.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum option { VERBOSE = 1 << 0, QUIET = 1 << 1, FORCE = 1 << 2 };

int main(void)
{
    int options = 0;
    int argument;
    while ((argument = __VERIFIER_nondet_int()) != 0) {
        if (argument == 'v')
            options = (options & ~QUIET) | VERBOSE;
        else if (argument == 'q')
            options = (options & ~VERBOSE) | QUIET;
        else if (argument == 'f')
            options |= FORCE;
        if ((options & VERBOSE) && (options & QUIET))
            reach_error();
    }
    return 0;
}

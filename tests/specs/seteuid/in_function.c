// gnomon: true
extern int seteuid(unsigned), setuid(unsigned), execv(const char *, char *const *);
extern unsigned getuid(void);
extern int __VERIFIER_nondet_int(void);
static int drop(void) { return setuid(65534); }
int main(void)
{
    int failed = drop();
    if (!failed)
        execv("/bin/ls", 0);
    return failed;
}

// gnomon: true
extern int seteuid(unsigned), setuid(unsigned), execv(const char *, char *const *);
extern unsigned getuid(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    if (seteuid(1000) != 0)
        return 1;
    if (seteuid(0) != 0)
        return 1;
    if (setuid(1000) == 0)
        execv("/bin/ls", 0);
    return 0;
}

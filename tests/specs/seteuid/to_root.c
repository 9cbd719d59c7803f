// gnomon: false 10 another program is executed with the rights of root
extern int seteuid(unsigned), setuid(unsigned), execv(const char *, char *const *);
extern unsigned getuid(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    unsigned user = __VERIFIER_nondet_int() & 1;
    if (setuid(user) != 0)
        return 1;
    execv("/bin/ls", 0);
    return 0;
}

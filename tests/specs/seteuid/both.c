// gnomon: true
extern int seteuid(unsigned), setuid(unsigned), execv(const char *, char *const *);
extern unsigned getuid(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    unsigned user = __VERIFIER_nondet_int();
    if (user == 0 || setuid(user) == -1 || setuid(user) != 0)
        return 1;
    execv("/bin/ls", 0);
    return 0;
}

// gnomon: false 9 another program is executed with rights that it can get back
extern int seteuid(unsigned), setuid(unsigned), execv(const char *, char *const *);
extern unsigned getuid(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    if (seteuid(1000) != 0)
        return 1;
    execv("/bin/ls", 0);
    return 0;
}

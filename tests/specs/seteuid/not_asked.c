// gnomon: false 8 another program is executed with the rights of root
extern int seteuid(unsigned), setuid(unsigned), execv(const char *, char *const *);
extern unsigned getuid(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    setuid(1000);
    execv("/bin/ls", 0);
    return 0;
}

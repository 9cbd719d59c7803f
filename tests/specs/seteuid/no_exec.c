// gnomon: true
extern int seteuid(unsigned), setuid(unsigned), execv(const char *, char *const *);
extern unsigned getuid(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    seteuid(1000);
    seteuid(0);
    return 0;
}

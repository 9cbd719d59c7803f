// gnomon: true
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    const char *format = __VERIFIER_nondet_int() ? "%d" : "%x";
    printf(format, 1);
    return 0;
}

// gnomon: false 10 the format is no literal
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
static char own[8];
int main(void)
{
    const char *format = __VERIFIER_nondet_int() > 0 ? "%d" : own;
    printf(format, 1);
    return 0;
}

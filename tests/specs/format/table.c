// gnomon: true
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
static const char *const formats[] = { "%d", "%x" };
int main(void)
{
    printf(formats[__VERIFIER_nondet_int() & 1], 1);
    return 0;
}

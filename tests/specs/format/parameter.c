// gnomon: true
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
static void show(const char *format, int n) { printf(format, n); }
int main(void)
{
    show("%d", 1);
    show("%i", 2);
    return 0;
}

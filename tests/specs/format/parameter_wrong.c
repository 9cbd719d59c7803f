// gnomon: false 7 the format is no literal
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
static char message[16];
static void show(const char *format) { printf(format); }
int main(void)
{
    show("ok");
    if (__VERIFIER_nondet_int() == 3)
        show(message);
    return 0;
}

// gnomon: true
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char buffer[16];
    snprintf(buffer, sizeof buffer, "%s", "text");
    printf("%s", buffer);
    return 0;
}

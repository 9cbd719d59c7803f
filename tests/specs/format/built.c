// gnomon: false 10 the format is no literal
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char format[8], text[8];
    sprintf(format, "%%%dd", 3);
    sprintf(text, format, 1);
    return 0;
}

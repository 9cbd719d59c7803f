// gnomon: false 9 the format is no literal
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char buffer[16] = "%d";
    printf(buffer, 1);
    return 0;
}

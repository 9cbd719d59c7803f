// gnomon: false 11 the format is no literal
extern int printf(const char *, ...), sprintf(char *, const char *, ...);
extern int snprintf(char *, unsigned long, const char *, ...);
extern char *getenv(const char *);
extern int __VERIFIER_nondet_int(void);
int main(int argc, char **argv)
{
    const char *format = "%d";
    if (argc > 1)
        format = argv[1];
    printf(format, 1);
    return 0;
}

// gnomon: true
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    FILE *f = fopen("a", "r");
    if (f)
        fclose(f);
    f = fopen("b", "r");
    if (f)
        fgetc(f);
    return 0;
}

// gnomon: true
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    FILE *f = fopen("a", "r");
    if (!f)
        return 1;
    fgetc(f);
    fclose(f);
    return 0;
}

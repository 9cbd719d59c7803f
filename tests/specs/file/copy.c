// gnomon: true
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    FILE *in = fopen("a", "r"), *out = fopen("b", "w");
    if (in && out)
        while (fgetc(in) >= 0)
            fputs("x", out);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    return 0;
}

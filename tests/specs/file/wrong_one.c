// gnomon: false 12 the stream is used after it was closed
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    FILE *in = fopen("a", "r"), *out = fopen("b", "w");
    if (!in || !out)
        return 1;
    fclose(out);
    fputs("x", out);
    fclose(in);
    return 0;
}

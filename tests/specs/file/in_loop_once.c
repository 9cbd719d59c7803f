// gnomon: false 12 the stream is used after it was closed
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    FILE *f = fopen("a", "r");
    if (!f)
        return 1;
    for (int i = 0; i < 3; i++) {
        fgetc(f);
        if (__VERIFIER_nondet_int() == i)
            fclose(f);
    }
    return 0;
}

// gnomon: false 14 the stream is still open at the end
// option: closed_at_exit=on
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    FILE *f = fopen("a", "r");
    if (!f)
        return 1;
    if (fgetc(f) == 'x')
        fclose(f);
    return 0;
}

// gnomon: true
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int is_open = 0;
    FILE *f = fopen("a", "r");
    if (f)
        is_open = 1;
    if (is_open && fgetc(f) < 0) {
        fclose(f);
        is_open = 0;
    }
    if (is_open)
        fclose(f);
    return 0;
}

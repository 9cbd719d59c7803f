// gnomon: false 7 the stream is closed twice
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
struct reader { FILE *file; int count; };
static void done(struct reader *r) { fclose(r->file); }
int main(void)
{
    FILE *f = fopen("a", "r");
    struct reader r = { f, 0 };
    if (!f)
        return 1;
    done(&r);
    if (r.count == 0)
        done(&r);
    return 0;
}

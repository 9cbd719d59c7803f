// gnomon: true
// A function of the program that has a name of stdio, and takes a number.
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *);
static int rewind(int n) { return n; }
int main(void)
{
    FILE *f = fopen("a", "r");
    if (!f)
        return 1;
    fclose(f);
    return rewind(0);
}

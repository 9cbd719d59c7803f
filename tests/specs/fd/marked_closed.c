// gnomon: true
// option: closed_at_exit=on
extern int open(const char *, int, ...), close(int), dup(int);
extern long read(int, void *, unsigned long), write(int, const void *, unsigned long);
extern int socket(int, int, int), bind(int, const void *, unsigned), listen(int, int);
extern int accept(int, void *, unsigned *);
extern int __VERIFIER_nondet_int(void);
static int d = -1;
static void finish(void)
{
    if (d >= 0)
        close(d);
    d = -1;
}
int main(void)
{
    d = open("a", 0);
    finish();
    finish();
    return 0;
}

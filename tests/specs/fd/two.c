// gnomon: true
extern int open(const char *, int, ...), close(int), dup(int);
extern long read(int, void *, unsigned long), write(int, const void *, unsigned long);
extern int socket(int, int, int), bind(int, const void *, unsigned), listen(int, int);
extern int accept(int, void *, unsigned *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int in = open("a", 0), out = open("b", 1);
    if (in >= 0)
        close(in);
    if (out >= 0) {
        write(out, "x", 1);
        close(out);
    }
    return 0;
}

// gnomon: true
extern int open(const char *, int, ...), close(int), dup(int);
extern long read(int, void *, unsigned long), write(int, const void *, unsigned long);
extern int socket(int, int, int), bind(int, const void *, unsigned), listen(int, int);
extern int accept(int, void *, unsigned *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    for (int n = __VERIFIER_nondet_int(); n > 0; n--) {
        int d = open("a", 0);
        if (d >= 0)
            close(d);
    }
    return 0;
}

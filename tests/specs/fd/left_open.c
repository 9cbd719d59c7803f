// gnomon: false 13 the descriptor is still open at the end
// option: closed_at_exit=on
extern int open(const char *, int, ...), close(int), dup(int);
extern long read(int, void *, unsigned long), write(int, const void *, unsigned long);
extern int socket(int, int, int), bind(int, const void *, unsigned), listen(int, int);
extern int accept(int, void *, unsigned *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int d = open("a", 0);
    if (d >= 0 && __VERIFIER_nondet_int() > 9)
        close(d);
    return 0;
}

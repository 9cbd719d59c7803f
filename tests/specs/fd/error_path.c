// gnomon: false 21 the descriptor is closed twice
extern int open(const char *, int, ...), close(int), dup(int);
extern long read(int, void *, unsigned long), write(int, const void *, unsigned long);
extern int socket(int, int, int), bind(int, const void *, unsigned), listen(int, int);
extern int accept(int, void *, unsigned *);
extern int __VERIFIER_nondet_int(void);
static int copy(int d)
{
    if (write(d, "x", 1) < 0) {
        close(d);
        return -1;
    }
    return 0;
}
int main(void)
{
    int d = open("a", 1);
    if (d < 0)
        return 1;
    copy(d);
    close(d);
    return 0;
}

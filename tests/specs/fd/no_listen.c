// gnomon: false 12 the socket accepts before it listens
extern int open(const char *, int, ...), close(int), dup(int);
extern long read(int, void *, unsigned long), write(int, const void *, unsigned long);
extern int socket(int, int, int), bind(int, const void *, unsigned), listen(int, int);
extern int accept(int, void *, unsigned *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int s = socket(2, 1, 0);
    if (s < 0 || bind(s, 0, 0) != 0)
        return 1;
    accept(s, 0, 0);
    return 0;
}

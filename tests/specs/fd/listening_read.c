// gnomon: false 13 a listening socket is read or written
extern int open(const char *, int, ...), close(int), dup(int);
extern long read(int, void *, unsigned long), write(int, const void *, unsigned long);
extern int socket(int, int, int), bind(int, const void *, unsigned), listen(int, int);
extern int accept(int, void *, unsigned *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char c;
    int s = socket(2, 1, 0);
    if (s < 0 || listen(s, 1) != 0)
        return 1;
    read(s, &c, 1);
    return 0;
}

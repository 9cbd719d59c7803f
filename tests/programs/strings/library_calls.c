// gnomon: true
// Lengths and comparisons with the functions of the C library.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned long strlen(const char *);
extern int strcmp(const char *, const char *);
extern char *strcpy(char *, const char *);
extern void *memset(void *, int, unsigned long);

int main(void)
{
    char name[16];
    memset(name, 'x', sizeof name);
    strcpy(name, __VERIFIER_nondet_int() ? "ada" : "grace");
    unsigned long n = strlen(name);
    if (n != 3 && n != 5)
        reach_error();
    if (strcmp(name, "ada") == 0 && n != 3)
        reach_error();
    if (name[15] != 'x')
        reach_error();
    return 0;
}

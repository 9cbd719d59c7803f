// gnomon: false
// The flag for a full buffer is tested before the second part is appended.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char *strcat(char *, const char *);
extern unsigned long strlen(const char *);

int main(void)
{
    char path[32] = "/tmp";
    int limit = 12;
    if (__VERIFIER_nondet_int())
        strcat(path, "/data");
    int full = (int)strlen(path) >= limit;
    if (!full)
        strcat(path, __VERIFIER_nondet_int() > 9 ? "/x" : "/xyz");
    if ((int)strlen(path) >= limit)
        reach_error();
    return 0;
}

// gnomon: true
// The index of a separator in a literal is found and everything before differs from it.
// slow: not decided by 20 million units of work
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    const char path[] = "usr:bin:sbin";
    int start = __VERIFIER_nondet_int();
    if (start < 0 || start >= (int)sizeof path)
        return 0;
    int i = start;
    while (path[i] != '\0' && path[i] != ':')
        i++;
    if (path[i] == ':' && i != 3 && i != 7)
        reach_error();
    if (start > 7 && path[i] != '\0')
        reach_error();
    return 0;
}

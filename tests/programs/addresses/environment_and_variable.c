// gnomon: unknown
// Whether what comes from outside lies before a variable is open.
extern void reach_error(void);

extern char *outside(void);
static int x;
int main(void)
{
    char *p = outside();
    if (*p == 0 && p < (char *)&x)
        reach_error();
    return 0;
}

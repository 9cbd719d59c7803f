// gnomon: false
// The code takes the default handler for the special one because both were set to the same function.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fast(int x) { return x; }
static int slow(int x) { return x + 1; }

int main(void)
{
    int (*special)(int) = slow;
    int (*normal)(int) = fast;
    if (__VERIFIER_nondet_int() > 100)
        special = normal;
    int x = __VERIFIER_nondet_int() & 0xff;
    int (*chosen)(int) = x > 128 ? special : normal;
    if (chosen == special && chosen(x) == x)
        reach_error();
    return 0;
}

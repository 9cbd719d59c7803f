// gnomon: false
// Two mutually recursive functions pass a token to and fro; the token is lost at the depth of six.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int token = 1;

static void pong(int n);

static void ping(int n)
{
    if (n <= 0)
        return;
    if (token == 0)
        __VERIFIER_error();
    if (n == 4)
        token = 0;
    pong(n - 1);
}

static void pong(int n)
{
    if (n <= 0)
        return;
    ping(n - 1);
    token = 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 10)
        return 0;
    ping(n);
    return 0;
}

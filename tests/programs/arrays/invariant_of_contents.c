// gnomon: true
// Every value that enters the cache is even, so what is found there is even.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int cache[16];

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int slot = __VERIFIER_nondet_int();
        if (slot < 0 || slot >= 16)
            continue;
        if (__VERIFIER_nondet_int()) {
            int v = __VERIFIER_nondet_int();
            if (v % 2 == 0)
                cache[slot] = v;
        } else if (cache[slot] % 2 != 0) {
            reach_error();
        }
    }
    return 0;
}

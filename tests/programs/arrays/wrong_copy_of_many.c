// gnomon: false
// The copy is wrong, and seen only after all of both arrays was filled: 100,000 turns.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int source[100000], copy[100000];

int main(void)
{
    for (int i = 0; i < 100000; i++) {
        source[i] = __VERIFIER_nondet_int();
        copy[i] = __VERIFIER_nondet_int();
    }
    for (int i = 0; i < 100000; i++)
        source[i] = source[i];
    for (int i = 0; i < 100000; i++)
        if (source[i] != copy[i])
            reach_error();
    return 0;
}

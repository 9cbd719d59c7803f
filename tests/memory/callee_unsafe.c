// gnomon: false
// A function reads behind the end of an array of its caller, for one index among a million.
extern int __VERIFIER_nondet_int(void);

static int element(const int *table, int index)
{
    return table[index];
}

int main(void)
{
    int table[4] = {1, 2, 3, 4};
    int index = __VERIFIER_nondet_int();
    if (index < 0 || index > 1000000)
        return 0;
    if (index > 3 && index != 77777)
        return 0;
    return element(table, index);
}

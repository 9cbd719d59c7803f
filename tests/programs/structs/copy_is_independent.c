// gnomon: true
// Assignment copies a struct with a nested array; later writes to the original leave the copy alone.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

struct sample {
    int id;
    short values[3];
    struct {
        char flag;
        int weight;
    } meta;
};

int main(void)
{
    struct sample a = {1, {2, 3, 4}, {'f', 10}};
    a.values[1] = (short)(__VERIFIER_nondet_int() & 0xff);
    a.meta.weight = __VERIFIER_nondet_int();
    struct sample b = a;
    a.values[1] = -1;
    a.meta.weight = 0;
    a.id = 99;
    assert(b.id == 1);
    assert(b.values[1] >= 0 && b.values[1] < 256);
    assert(b.values[0] == 2 && b.values[2] == 4 && b.meta.flag == 'f');
    return 0;
}

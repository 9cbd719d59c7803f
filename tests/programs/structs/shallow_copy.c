// gnomon: false
// A copied struct shares the buffer that its pointer member points to.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct message {
    int length;
    int *body;
};

int main(void)
{
    int storage[4] = {1, 2, 3, 4};
    struct message a = {4, storage};
    struct message b = a;
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= a.length)
        return 0;
    b.body[i] = 0;
    if (a.body[2] != 3)
        reach_error();
    return 0;
}

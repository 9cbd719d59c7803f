// gnomon: false
// Only the sequence of inputs one, two, three, one opens the door.
// inputs: 1 2 3 1
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    static const int code[] = {1, 2, 3, 1};
    int matched = 0;
    for (int i = 0; i < 20; i++) {
        int key = __VERIFIER_nondet_int();
        if (key == code[matched])
            matched++;
        else
            matched = 0;
        if (matched == 4)
            __VERIFIER_error();
    }
    return 0;
}

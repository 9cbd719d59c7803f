// gnomon: false
// A reader becomes a writer while a second reader is still there.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int readers, writing;

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            if (!writing && readers < 3)
                readers++;
            break;
        case 1:
            if (readers > 0)
                readers--;
            break;
        case 2:
            if (!writing && readers > 0) {
                readers--;
                writing = 1;
            }
            break;
        case 3:
            writing = 0;
            break;
        }
        if (writing && readers > 0)
            __VERIFIER_error();
    }
    return 0;
}

#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(int argc, char **argv)
{
    int state = 0;
    for (int events = 0; events < 400; events++) {
        int event = __VERIFIER_nondet_int() & 7;
        if (state == 0 && event == 3)
            state = 1;
        else if (state == 1 && event == 5)
            state = 2;
        else if (state == 2 && event == 6)
            state = 3;
        else
            state = 0;
        assert(argc < 2 || state != 3);
    }
    return 0;
}

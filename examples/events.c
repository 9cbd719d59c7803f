// A device is opened, used and closed by events from outside, in any order and number. The loop has no bound.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int open, users;

int main(void) {
    while (1) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            open = 1;
            break;
        case 2:
            if (open)
                users++;
            break;
        case 3:
            if (users > 0)
                users--;
            break;
        case 4:
            if (users == 0)
                open = 0;
            break;
        }
        if (users > 1000)
            users = 1000;
        assert(open || users == 0);
    }
}

// gnomon: true
// A slot holds an object exactly while its flag is set, over any number of commands.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
extern void reach_error(void);
static void __VERIFIER_assert(int cond)
{
    if (!cond) {
    ERROR:
        reach_error();
        abort();
    }
}

static int *slot;
static int used;

int main(void)
{
    for (;;) {
        int command = __VERIFIER_nondet_int();
        if (command == 1 && !used) {
            slot = malloc(sizeof(int));
            if (slot) {
                *slot = 0;
                used = 1;
            }
        } else if (command == 2 && used) {
            free(slot);
            slot = 0;
            used = 0;
        } else if (command == 3) {
            break;
        }
        __VERIFIER_assert(used == (slot != 0));
    }
    return 0;
}

// gnomon: false
// Freeing the object forgets to clear the flag.
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
    for (int i = 0; i < 10; i++) {
        int command = __VERIFIER_nondet_int();
        if (command > 0 && !used) {
            slot = malloc(sizeof(int));
            if (slot)
                used = 1;
        } else if (command < 0 && slot) {
            free(slot);
            slot = 0;
        }
        __VERIFIER_assert(!used || slot != 0);
    }
    return 0;
}

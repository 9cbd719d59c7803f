// gnomon: true
// The depth counter of a linked stack is never negative, whatever the commands.
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct cell {
    struct cell *below;
};

int main(void)
{
    struct cell *top = 0;
    int depth = 0;
    for (;;) {
        int command = __VERIFIER_nondet_int();
        if (command == 0)
            break;
        if (command > 0 && depth < 1000) {
            struct cell *c = malloc(sizeof *c);
            if (!c)
                continue;
            c->below = top;
            top = c;
            depth++;
        } else if (depth > 0) {
            struct cell *c = top;
            top = c->below;
            free(c);
            depth--;
        }
        if (depth < 0)
            reach_error();
    }
    return 0;
}

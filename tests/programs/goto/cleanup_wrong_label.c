// gnomon: false
// One error exit jumps to a label that does not release the file.
// inputs: 0 -22
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int memory, file;

int main(void)
{
    int rc = -1;
    memory = 1;
    if (__VERIFIER_nondet_int() < 0)
        goto out_memory;
    file = 1;
    if (__VERIFIER_nondet_int() == -22)
        goto out_memory;
    rc = 0;
    file = 0;
out_memory:
    memory = 0;
    if (file)
        reach_error();
    return rc;
}

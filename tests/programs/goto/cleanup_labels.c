// gnomon: true
// The usual ladder of cleanup labels releases exactly what was acquired.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int memory, file;

int main(void)
{
    int rc = -1;
    if (__VERIFIER_nondet_int() < 0)
        goto out;
    memory = 1;
    if (__VERIFIER_nondet_int() < 0)
        goto out_memory;
    file = 1;
    if (__VERIFIER_nondet_int() < 0)
        goto out_file;
    rc = 0;
out_file:
    if (!file)
        reach_error();
    file = 0;
out_memory:
    if (!memory)
        reach_error();
    memory = 0;
out:
    if (memory || file)
        reach_error();
    return rc;
}

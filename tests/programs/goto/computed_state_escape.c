// gnomon: false
// The machine can leave its critical part by an error exit that keeps the lock.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int held = 0, errors = 0;
idle:
    if (held)
        reach_error();
    if (!__VERIFIER_nondet_int())
        return 0;
    held = 1;
critical:
    switch (__VERIFIER_nondet_int()) {
    case 0:
        goto critical;
    case 4:
        errors++;
        goto fail;
    default:
        held = 0;
        goto idle;
    }
fail:
    if (errors < 10)
        goto idle;
    return 1;
}

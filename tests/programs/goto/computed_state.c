// gnomon: true
// A machine written with labels only: the lock is held in its critical part and nowhere else.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int held = 0;
idle:
    if (held)
        reach_error();
    if (__VERIFIER_nondet_int())
        goto acquire;
    if (__VERIFIER_nondet_int())
        goto end;
    goto idle;
acquire:
    held = 1;
    goto critical;
critical:
    if (!held)
        reach_error();
    if (__VERIFIER_nondet_int())
        goto critical;
    held = 0;
    goto idle;
end:
    if (held)
        reach_error();
    return 0;
}

// gnomon: true
// Balance equals deposits minus withdrawals in a record updated through a pointer.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void abort(void);
static void assume_or_stop(int condition)
{
    if (!condition)
        abort();
}

struct account {
    long balance;
    long deposited;
    long withdrawn;
};

static void deposit(struct account *a, int amount)
{
    a->balance += amount;
    a->deposited += amount;
}

static int withdraw(struct account *a, int amount)
{
    if (a->balance < amount)
        return 0;
    a->balance -= amount;
    a->withdrawn += amount;
    return 1;
}

int main(void)
{
    struct account a = {0, 0, 0};
    while (__VERIFIER_nondet_int()) {
        int amount = __VERIFIER_nondet_int();
        assume_or_stop(amount > 0 && amount < 1000);
        assume_or_stop(a.deposited < 1000000);
        if (__VERIFIER_nondet_int())
            deposit(&a, amount);
        else
            withdraw(&a, amount);
        if (a.balance < 0)
            reach_error();
    }
    if (a.balance != a.deposited - a.withdrawn)
        reach_error();
    return 0;
}

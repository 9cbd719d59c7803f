// gnomon: true
// Lal's dissertation, Figure 5.2: a unit is entered only if there is one, which takes two predicates.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int numUnits;
static int level;

static void NewUnit(void) {}
static void gotUnit(void) {}

static void getUnit(void)
{
    int canEnter = 0;
    if (numUnits == 0) {
        if (level > 10) {
            NewUnit();
            numUnits = 1;
            canEnter = 1;
        }
    } else {
        canEnter = 1;
    }
    if (canEnter) {
        if (numUnits == 0)
            reach_error();
        else
            gotUnit();
    }
}

int main(void)
{
    numUnits = __VERIFIER_nondet_int();
    level = __VERIFIER_nondet_int();
    getUnit();
    return 0;
}

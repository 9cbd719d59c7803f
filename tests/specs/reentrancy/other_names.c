// gnomon: true
// option: functions=allocate
extern int __VERIFIER_nondet_int(void);
static int count;
static int depth(int n) { return n > 0 ? 1 + depth(n - 1) : 0; }
static int allocate(int n) { return n; }
int main(void) { return allocate(depth(2)); }

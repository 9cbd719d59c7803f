// gnomon: true
// Two state machines take the same steps; proofs need which states go together, and by how much two counters differ.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int left = 10, right = 20;
unsigned sent, received;

int main(void) {
    while (__VERIFIER_nondet_int()) {
        switch (left) {
        case 10:
            sent++;
            left = 11;
            right = 21;
            break;
        case 11:
            if (__VERIFIER_nondet_int()) {
                received++;
                left = 12;
                right = 22;
            }
            break;
        default:
            left = 10;
            right = 20;
        }
        if (right != left + 10) reach_error();
        if (left == 11 && sent != received + 1) reach_error();
        if (left != 11 && sent != received) reach_error();
    }
    return 0;
}

// gnomon: false
// A missing break lets one case fall into the next.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int command = __VERIFIER_nondet_int();
    int speed = 0, brake = 0;
    switch (command) {
    case 1:
        speed = 10;
    case 2:
        brake = 1;
        break;
    case 3:
        speed = 20;
        break;
    }
    if (speed > 0 && brake)
        reach_error();
    return 0;
}

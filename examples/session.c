// Logs in, sends some messages, logs out; after a failure it goes on without logging in again.
extern int __VERIFIER_nondet_int(void);

static void login(void) {}
static void logout(void) {}
static int transmit(int message) {
    return message % 7 ? 0 : -1;
}

int main(void) {
    login();
    for (int message = 1; message <= 10; message++) {
        if (transmit(message) < 0)
            logout();
        if (__VERIFIER_nondet_int())
            break;
    }
    logout();
    return 0;
}

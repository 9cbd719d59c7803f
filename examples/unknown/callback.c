// A handler that the library may call at any time.
#include <assert.h>
#include <signal.h>

static int ready = 1;

static void handler(int number) {
    (void)number;
    ready = 0;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGINT, &action, 0);
    assert(ready);
    return 0;
}

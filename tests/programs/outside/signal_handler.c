// gnomon: unknown
// A handler that is registered by its address in memory may run.
#include <signal.h>
extern void reach_error(void);

static void handler(int number) { reach_error(); }
int main(void)
{
    struct sigaction action = {0};
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, 0);
    return 0;
}

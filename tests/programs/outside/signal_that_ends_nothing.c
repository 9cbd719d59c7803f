// gnomon: false
// Nothing happens at a signal that is ignored by default.
#include <signal.h>
extern void reach_error(void);

int main(void)
{
    raise(SIGCHLD);
    reach_error();
    return 0;
}

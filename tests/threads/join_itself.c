// gnomon: false
// A thread that joins itself gets an error.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

int main(void)
{
    if (pthread_join(pthread_self(), 0) != 0)
        reach_error();
    return 0;
}

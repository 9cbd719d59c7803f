// gnomon: unknown
// A time that was freed is handed on.
#include <stdlib.h>
#include <time.h>
int main(void)
{
    struct timespec *time = malloc(sizeof *time);
    time->tv_sec = time->tv_nsec = 0;
    free(time);
    return nanosleep(time, 0);
}

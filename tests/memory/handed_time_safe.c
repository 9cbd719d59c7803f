// gnomon: true
// A time that lives is handed on.
#include <stdlib.h>
#include <time.h>
int main(void)
{
    struct timespec *time = malloc(sizeof *time);
    time->tv_sec = time->tv_nsec = 0;
    int result = nanosleep(time, 0);
    free(time);
    return result;
}

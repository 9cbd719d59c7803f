// gnomon: false
// memcpy of what others see is not one step.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <string.h>
struct pair { int first, second; } shared, ones = {1, 1};

void *writer(void *arg)
{
    memcpy(&shared, &ones, sizeof shared);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int first = shared.first, second = shared.second;
    if (first == 1 && second == 0)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}

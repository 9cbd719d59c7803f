// gnomon: false
// Without the lock additions are lost, however deep.
#include <pthread.h>
extern void reach_error(void);
int sum;

void add(int count)
{
    if (count == 0)
        return;
    sum++;
    add(count - 1);
}
void *other(void *arg)
{
    add(3);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    add(3);
    pthread_join(thread, 0);
    if (sum == 2)
        reach_error();
    return 0;
}

// A lock that is taken and given back in turns: can the assertion fail?
#include <assert.h>
#include <stdio.h>

static int locked;

static void lock(void) {
    assert(!locked);
    locked = 1;
}

static void unlock(void) {
    assert(locked);
    locked = 0;
}

int main(void) {
    int old, new = 0, requests = 3;
    do {
        lock();
        old = new;
        if (requests > 0) {
            requests--;
            unlock();
            new++;
        }
    } while (new != old);
    unlock();
    printf("%d requests served\n", new);
    return 0;
}

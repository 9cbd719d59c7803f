
/* Threads that take turns as the schedule says; `__asm__` gives the functions the names that the
   program calls, whatever types it declares them with. */
extern int gnomon_pthread_create(unsigned long *, const void *, void *(*)(void *), void *)
    __asm__("pthread_create");
extern int gnomon_pthread_lock(void *) __asm__("pthread_mutex_lock");
extern int gnomon_pthread_unlock(void *) __asm__("pthread_mutex_unlock");
extern int gnomon_pthread_wait(void *, void *) __asm__("pthread_cond_wait");
extern int gnomon_pthread_broadcast(void *) __asm__("pthread_cond_broadcast");
extern void gnomon_pthread_exit(void *) __asm__("pthread_exit");
extern int gnomon_puts(const char *) __asm__("puts");
extern int gnomon_printf(const char *, ...) __asm__("printf");
extern void gnomon_exit(int) __asm__("_exit");
extern int gnomon_flush(void *) __asm__("fflush");

enum { GNOMON_THREADS = 64 };
static long gnomon_mutex[16], gnomon_turn[16];
static int gnomon_context, gnomon_count, gnomon_alone = 1, gnomon_input_at;
static struct {
    void *(*start)(void *);
    void *argument, *result;
    const void *sleeps_on;
    int ended, stuck;
    /* What it is about to access. */
    unsigned long address, size;
    int accesses, writes;
} gnomon_threads[GNOMON_THREADS];
/* The thread that tries to go on when the schedule has ended in a deadlock. */
static int gnomon_trying = -1;
static _Thread_local int gnomon_self, gnomon_depth, gnomon_passed, gnomon_begins;

static void gnomon_fail(const char *what)
{
    gnomon_puts(what);
    gnomon_flush(0);
    gnomon_exit(1);
}

/* The run does not follow the schedule. */
static void gnomon_lost(void)
{
    gnomon_puts("the schedule cannot be followed");
    gnomon_flush(0);
    gnomon_exit(3);
}

/* The schedule has ended in a deadlock: a thread that is about to go on tries to. */
static void gnomon_try(void)
{
    while (gnomon_trying != -1 && gnomon_trying != gnomon_self)
        gnomon_pthread_wait(gnomon_turn, gnomon_mutex);
    gnomon_trying = gnomon_self;
}

/* It has to wait; it is a deadlock if all others do. */
static void gnomon_is_stuck(void)
{
    int all = 1;
    gnomon_pthread_lock(gnomon_mutex);
    gnomon_threads[gnomon_self].stuck = 1;
    gnomon_trying = -1;
    for (int i = 0; i < GNOMON_THREADS; i++)
        if ((i == 0 || gnomon_threads[i].start) && !gnomon_threads[i].ended)
            all = all && gnomon_threads[i].stuck;
    if (all) {
        for (int i = 0; i < GNOMON_THREADS; i++)
            if (gnomon_threads[i].stuck)
                gnomon_printf("thread %d waits\n", i);
        gnomon_fail("deadlock: no thread can go on");
    }
    gnomon_pthread_broadcast(gnomon_turn);
    for (;;)
        gnomon_pthread_wait(gnomon_turn, gnomon_mutex);
}

static unsigned long long gnomon_input(void)
{
    return gnomon_input_at < gnomon_input_count ? gnomon_inputs[gnomon_input_at++] : 0;
}

/* Waits until the thread may pass so many points. */
static void gnomon_pass(int passed)
{
    gnomon_pthread_lock(gnomon_mutex);
    for (;;) {
        if (gnomon_context >= gnomon_contexts && gnomon_deadlock && gnomon_begins) {
            gnomon_try();
            break;
        }
        if (gnomon_context >= gnomon_contexts)
            gnomon_lost();
        if (gnomon_who[gnomon_context] != gnomon_self) {
            gnomon_pthread_wait(gnomon_turn, gnomon_mutex);
        } else if (passed > gnomon_until[gnomon_context]) {
            gnomon_context++;
            gnomon_pthread_broadcast(gnomon_turn);
        } else
            break;
    }
    gnomon_pthread_unlock(gnomon_mutex);
}

void gnomon_rt_point(void) __asm__("__gnomon_point");
void gnomon_rt_point(void)
{
    if (gnomon_alone || gnomon_depth)
        return;
    gnomon_pass(++gnomon_passed);
}

void gnomon_rt_access(unsigned long, unsigned long, unsigned long) __asm__("__gnomon_access");
void gnomon_rt_access(unsigned long address, unsigned long size, unsigned long writes)
{
    int self = gnomon_self, other;
    if (gnomon_alone || gnomon_depth)
        return;
    gnomon_threads[self].address = address;
    gnomon_threads[self].size = size;
    gnomon_threads[self].writes = (int)writes;
    gnomon_threads[self].accesses = 1;
    gnomon_rt_point();
    gnomon_threads[self].accesses = 0;
    if (!gnomon_race_at || gnomon_context != gnomon_contexts - 1 || gnomon_contexts < 2
        || gnomon_passed != gnomon_race_at)
        return;
    other = gnomon_who[gnomon_contexts - 2];
    if (gnomon_threads[other].accesses && (writes || gnomon_threads[other].writes)
        && gnomon_threads[other].address < address + size
        && address < gnomon_threads[other].address + gnomon_threads[other].size) {
        gnomon_printf("threads %d and %d access the same data\n", other, self);
        gnomon_fail("data race");
    }
    gnomon_lost();
}

void gnomon_rt_begin(void) __asm__("__gnomon_atomic_begin");
void gnomon_rt_begin(void)
{
    if (!gnomon_depth) {
        gnomon_begins = 1;
        gnomon_rt_point();
        gnomon_begins = 0;
    }
    gnomon_depth++;
}

void gnomon_rt_end(void) __asm__("__gnomon_atomic_end");
void gnomon_rt_end(void)
{
    gnomon_depth--;
    if (!gnomon_depth && gnomon_trying == gnomon_self)
        gnomon_lost();
}

void gnomon_rt_user_begin(void) __asm__("__VERIFIER_atomic_begin");
void gnomon_rt_user_begin(void)
{
    gnomon_rt_begin();
}

void gnomon_rt_user_end(void) __asm__("__VERIFIER_atomic_end");
void gnomon_rt_user_end(void)
{
    gnomon_rt_end();
}

void gnomon_rt_await(int enabled) __asm__("__gnomon_await");
void gnomon_rt_await(int enabled)
{
    if (!enabled && gnomon_trying == gnomon_self)
        gnomon_is_stuck();
    if (!enabled)
        gnomon_lost();
}

unsigned long gnomon_rt_self(void) __asm__("__gnomon_self");
unsigned long gnomon_rt_self(void)
{
    return gnomon_self + 1;
}

static void gnomon_ends(void *result)
{
    gnomon_pthread_lock(gnomon_mutex);
    gnomon_threads[gnomon_self].result = result;
    gnomon_threads[gnomon_self].ended = 1;
    if (gnomon_context < gnomon_contexts && gnomon_who[gnomon_context] == gnomon_self) {
        gnomon_context++;
        gnomon_pthread_broadcast(gnomon_turn);
    }
    gnomon_pthread_unlock(gnomon_mutex);
}

static void *gnomon_run(void *number)
{
    gnomon_self = (int)(long)number;
    gnomon_pass(0);
    gnomon_ends(gnomon_threads[gnomon_self].start(gnomon_threads[gnomon_self].argument));
    return 0;
}

unsigned long gnomon_rt_spawn(void *(*start)(void *), void *argument) __asm__("__gnomon_spawn");
unsigned long gnomon_rt_spawn(void *(*start)(void *), void *argument)
{
    unsigned long thread;
    int number = gnomon_made[gnomon_count++];
    gnomon_alone = 0;
    gnomon_threads[number].start = start;
    gnomon_threads[number].argument = argument;
    if (gnomon_pthread_create(&thread, 0, gnomon_run, (void *)(long)number))
        gnomon_lost();
    return number + 1;
}

void gnomon_rt_exit(void *result) __asm__("__gnomon_exit_thread");
void gnomon_rt_exit(void *result)
{
    gnomon_depth = 0;
    gnomon_ends(result);
    gnomon_pthread_exit(0);
}

int gnomon_rt_ended(unsigned long thread) __asm__("__gnomon_ended");
int gnomon_rt_ended(unsigned long thread)
{
    return thread < 1 || thread > GNOMON_THREADS || gnomon_threads[thread - 1].ended;
}

void *gnomon_rt_result(unsigned long thread) __asm__("__gnomon_result_of");
void *gnomon_rt_result(unsigned long thread)
{
    return thread < 1 || thread > GNOMON_THREADS ? 0 : gnomon_threads[thread - 1].result;
}

void gnomon_rt_sleep_on(const void *object) __asm__("__gnomon_sleep_on");
void gnomon_rt_sleep_on(const void *object)
{
    gnomon_threads[gnomon_self].sleeps_on = object;
}

int gnomon_rt_asleep(void) __asm__("__gnomon_asleep");
int gnomon_rt_asleep(void)
{
    return gnomon_threads[gnomon_self].sleeps_on != 0;
}

int gnomon_rt_spurious(void) __asm__("__gnomon_spurious");
int gnomon_rt_spurious(void)
{
    return (int)gnomon_input();
}

void gnomon_rt_wake_one(const void *object) __asm__("__gnomon_wake_one");
void gnomon_rt_wake_one(const void *object)
{
    int number = (int)gnomon_input();
    if (number > 0 && number <= GNOMON_THREADS
        && gnomon_threads[number - 1].sleeps_on == object)
        gnomon_threads[number - 1].sleeps_on = 0;
}

void gnomon_rt_wake_all(const void *object) __asm__("__gnomon_wake_all");
void gnomon_rt_wake_all(const void *object)
{
    for (int i = 0; i < GNOMON_THREADS; i++)
        if (gnomon_threads[i].sleeps_on == object)
            gnomon_threads[i].sleeps_on = 0;
}

void gnomon_rt_misuse(const char *what) __asm__("__gnomon_misuse");
void gnomon_rt_misuse(const char *what)
{
    if (gnomon_misuse_fails)
        gnomon_fail(what);
}

void gnomon_rt_not_modelled(const char *what) __asm__("__gnomon_not_modelled");
void gnomon_rt_not_modelled(const char *what)
{
    gnomon_lost();
}

// What the operations of models/threads.c mean where there is one thread: nobody else runs, so what it waits for
// never comes true unless it is true already, and the run goes no further.

// model: __gnomon_atomic_begin
void __gnomon_atomic_begin(void) {}

// model: __gnomon_atomic_end
void __gnomon_atomic_end(void) {}

// model: __gnomon_await
extern void __VERIFIER_assume(int condition);
void __gnomon_await(int enabled) { __VERIFIER_assume(enabled); }

// model: __gnomon_self
unsigned long __gnomon_self(void) { return 1; }

// model: __gnomon_misuse
void __gnomon_misuse(const char *what) {}

// model: __gnomon_spurious
extern int __VERIFIER_nondet_int(void);
int __gnomon_spurious(void) { return __VERIFIER_nondet_int() != 0; }

// model: __gnomon_sleep_on
void __gnomon_sleep_on(void *object) {}

// model: __gnomon_asleep
int __gnomon_asleep(void) { return 1; }

// model: __gnomon_wake_one
void __gnomon_wake_one(void *object) {}

// model: __gnomon_wake_all
void __gnomon_wake_all(void *object) {}

// model: __gnomon_ended
int __gnomon_ended(unsigned long thread) { return 0; }

// model: __gnomon_result_of
void *__gnomon_result_of(unsigned long thread) { return 0; }

// model: __gnomon_exit_thread
extern void exit(int status);
void __gnomon_exit_thread(void *result) { exit(0); }

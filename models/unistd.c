// Descriptors, rights and processes, as far as property automata need them. Descriptors have
// growing numbers: what was closed is not given out again.

// model: open
static int __gnomon_last_descriptor;
extern int __VERIFIER_nondet_int(void);
int open(const char *path, int flags, ...)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor < 0 || descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: open64
static int __gnomon_last_descriptor;
extern int __VERIFIER_nondet_int(void);
int open64(const char *path, int flags, ...)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor < 0 || descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: creat
static int __gnomon_last_descriptor;
extern int __VERIFIER_nondet_int(void);
int creat(const char *path, unsigned mode)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor < 0 || descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: dup
static int __gnomon_last_descriptor;
extern int __VERIFIER_nondet_int(void);
int dup(int old)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor < 0 || descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: socket
static int __gnomon_last_descriptor;
extern int __VERIFIER_nondet_int(void);
int socket(int domain, int type, int protocol)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor < 0 || descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: accept
static int __gnomon_last_descriptor;
extern int __VERIFIER_nondet_int(void);
int accept(int listener, void *address, unsigned *length)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor < 0 || descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: mkstemp
static int __gnomon_last_descriptor;
extern int __VERIFIER_nondet_int(void);
int mkstemp(char *path)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor < 0 || descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: close
extern _Bool __VERIFIER_nondet_bool(void);
int close(int descriptor) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: bind
extern _Bool __VERIFIER_nondet_bool(void);
int bind(int s, const void *address, unsigned length) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: listen
extern _Bool __VERIFIER_nondet_bool(void);
int listen(int s, int backlog) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: connect
extern _Bool __VERIFIER_nondet_bool(void);
int connect(int s, const void *address, unsigned length) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: setuid
extern _Bool __VERIFIER_nondet_bool(void);
int setuid(unsigned id) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: seteuid
extern _Bool __VERIFIER_nondet_bool(void);
int seteuid(unsigned id) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: setgid
extern _Bool __VERIFIER_nondet_bool(void);
int setgid(unsigned id) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: setegid
extern _Bool __VERIFIER_nondet_bool(void);
int setegid(unsigned id) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: setreuid
extern _Bool __VERIFIER_nondet_bool(void);
int setreuid(unsigned real, unsigned effective) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: setresuid
extern _Bool __VERIFIER_nondet_bool(void);
int setresuid(unsigned real, unsigned effective, unsigned saved) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: write
extern long __VERIFIER_nondet_long(void);
long write(int descriptor, const void *bytes, unsigned long count)
{
    long written = __VERIFIER_nondet_long();
    return written < 0 || written > count ? -1 : written;
}

// model: execv
int execv(const char *path, char *const *args) { return -1; } // it returns only if it fails

// model: execvp
int execvp(const char *path, char *const *args) { return -1; } // it returns only if it fails

// model: execve
int execve(const char *path, char *const *args, char *const *environment) { return -1; } // it returns only if it fails

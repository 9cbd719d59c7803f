// Descriptors, rights and processes, as far as property automata need them. Descriptors have
// growing numbers, behind those of the standard streams: what was closed is not given out again, so
// that who uses it later makes an error, whatever was opened meanwhile.

// model: __gnomon_new_descriptor
static int __gnomon_last_descriptor = 2;
extern int __VERIFIER_nondet_int(void);
int __gnomon_new_descriptor(void)
{
    int descriptor = __VERIFIER_nondet_int();
    if (descriptor <= __gnomon_last_descriptor)
        return -1;
    __gnomon_last_descriptor = descriptor;
    return descriptor;
}

// model: __gnomon_text
extern int strcmp(const char *a, const char *b);
void __gnomon_text(const char *text)
{
    strcmp(text, text); // it is read to its end
}

// model: open
int __gnomon_new_descriptor(void);
void __gnomon_text(const char *text);
int open(const char *path, int flags, ...)
{
    __gnomon_text(path);
    return __gnomon_new_descriptor();
}

// model: open64
int __gnomon_new_descriptor(void);
void __gnomon_text(const char *text);
int open64(const char *path, int flags, ...)
{
    __gnomon_text(path);
    return __gnomon_new_descriptor();
}

// model: creat
int __gnomon_new_descriptor(void);
void __gnomon_text(const char *text);
int creat(const char *path, unsigned mode)
{
    __gnomon_text(path);
    return __gnomon_new_descriptor();
}

// model: dup
int __gnomon_new_descriptor(void);
int dup(int old) { return __gnomon_new_descriptor(); }

// model: socket
int __gnomon_new_descriptor(void);
int socket(int domain, int type, int protocol) { return __gnomon_new_descriptor(); }

// model: __gnomon_written
extern long getrandom(void *bytes, unsigned long count, unsigned flags);
void __gnomon_written(void *bytes)
{
    if (bytes)
        getrandom(bytes, 1, 0); // anything may be there now, for a proof
}

// model: accept
int __gnomon_new_descriptor(void);
void __gnomon_written(void *bytes);
int accept(int listener, void *address, unsigned *length)
{
    __gnomon_written(address);
    __gnomon_written(length);
    return __gnomon_new_descriptor();
}

// model: accept4
int __gnomon_new_descriptor(void);
void __gnomon_written(void *bytes);
int accept4(int listener, void *address, unsigned *length, int flags)
{
    __gnomon_written(address);
    __gnomon_written(length);
    return __gnomon_new_descriptor();
}

// model: mkstemp
int __gnomon_new_descriptor(void);
void __gnomon_text(const char *text);
void __gnomon_written(void *bytes);
int mkstemp(char *path)
{
    __gnomon_text(path);
    __gnomon_written(path);
    return __gnomon_new_descriptor();
}

// model: openat
int __gnomon_new_descriptor(void);
void __gnomon_text(const char *text);
int openat(int directory, const char *path, int flags, ...)
{
    __gnomon_text(path);
    return __gnomon_new_descriptor();
}

// model: openat64
int __gnomon_new_descriptor(void);
void __gnomon_text(const char *text);
int openat64(int directory, const char *path, int flags, ...)
{
    __gnomon_text(path);
    return __gnomon_new_descriptor();
}

// model: creat64
int __gnomon_new_descriptor(void);
void __gnomon_text(const char *text);
int creat64(const char *path, unsigned mode)
{
    __gnomon_text(path);
    return __gnomon_new_descriptor();
}

// model: mkstemp64
int __gnomon_new_descriptor(void);
void __gnomon_written(void *bytes);
int mkstemp64(char *path)
{
    __gnomon_written(path);
    return __gnomon_new_descriptor();
}

// model: mkostemp
int __gnomon_new_descriptor(void);
void __gnomon_written(void *bytes);
int mkostemp(char *path, int flags)
{
    __gnomon_written(path);
    return __gnomon_new_descriptor();
}

// model: epoll_create
int __gnomon_new_descriptor(void);
int epoll_create(int size) { return __gnomon_new_descriptor(); }

// model: epoll_create1
int __gnomon_new_descriptor(void);
int epoll_create1(int flags) { return __gnomon_new_descriptor(); }

// model: inotify_init
int __gnomon_new_descriptor(void);
int inotify_init(void) { return __gnomon_new_descriptor(); }

// model: inotify_init1
int __gnomon_new_descriptor(void);
int inotify_init1(int flags) { return __gnomon_new_descriptor(); }

// model: pipe
int __gnomon_new_descriptor(void);
int pipe(int *ends)
{
    int first = __gnomon_new_descriptor(), second;
    if (first < 0)
        return -1;
    second = __gnomon_new_descriptor();
    if (second < 0)
        return -1;
    ends[0] = first;
    ends[1] = second;
    return 0;
}

// model: pipe2
int __gnomon_new_descriptor(void);
int pipe2(int *ends, int flags)
{
    int first = __gnomon_new_descriptor(), second;
    if (first < 0)
        return -1;
    second = __gnomon_new_descriptor();
    if (second < 0)
        return -1;
    ends[0] = first;
    ends[1] = second;
    return 0;
}

// model: socketpair
int __gnomon_new_descriptor(void);
int socketpair(int domain, int type, int protocol, int *ends)
{
    int first = __gnomon_new_descriptor(), second;
    if (first < 0)
        return -1;
    second = __gnomon_new_descriptor();
    if (second < 0)
        return -1;
    ends[0] = first;
    ends[1] = second;
    return 0;
}

// model: dup2
extern _Bool __VERIFIER_nondet_bool(void);
int dup2(int old, int new) { return __VERIFIER_nondet_bool() ? -1 : new; }

// model: dup3
extern _Bool __VERIFIER_nondet_bool(void);
int dup3(int old, int new, int flags) { return __VERIFIER_nondet_bool() ? -1 : new; }

// model: isatty
extern _Bool __VERIFIER_nondet_bool(void);
int isatty(int descriptor) { return __VERIFIER_nondet_bool(); }

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
extern int memcmp(const void *a, const void *b, unsigned long count);
long write(int descriptor, const void *bytes, unsigned long count)
{
    memcmp(bytes, bytes, count); // they are read
    long written = __VERIFIER_nondet_long();
    return written < 0 || written > count ? -1 : written;
}

// model: execv
void __gnomon_text(const char *text);
int execv(const char *path, char *const *args)
{
    __gnomon_text(path);
    return -1; // it returns only if it fails
}

// model: execvp
void __gnomon_text(const char *text);
int execvp(const char *path, char *const *args)
{
    __gnomon_text(path);
    return -1; // it returns only if it fails
}

// model: execve
void __gnomon_text(const char *text);
int execve(const char *path, char *const *args, char *const *environment)
{
    __gnomon_text(path);
    return -1; // it returns only if it fails
}

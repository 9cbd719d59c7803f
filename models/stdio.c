// Streams, as far as property automata need them: who opens one gets a new object or null. Address
// and number of what was closed are not used again, as with memory that was freed. The type is that
// of glibc's headers, so that results need no conversion.

// model: fopen
extern void *malloc(unsigned long);
extern _Bool __VERIFIER_nondet_bool(void);
void __gnomon_text(const char *text);
struct _IO_FILE *fopen(const char *path, const char *mode)
{
    __gnomon_text(path);
    __gnomon_text(mode);
    return __VERIFIER_nondet_bool() ? malloc(1) : 0;
}

// model: fopen64
extern void *malloc(unsigned long);
extern _Bool __VERIFIER_nondet_bool(void);
void __gnomon_text(const char *text);
struct _IO_FILE *fopen64(const char *path, const char *mode)
{
    __gnomon_text(path);
    __gnomon_text(mode);
    return __VERIFIER_nondet_bool() ? malloc(1) : 0;
}

// model: fdopen
extern void *malloc(unsigned long);
extern _Bool __VERIFIER_nondet_bool(void);
void __gnomon_text(const char *text);
struct _IO_FILE *fdopen(int descriptor, const char *mode)
{
    __gnomon_text(mode);
    return __VERIFIER_nondet_bool() ? malloc(1) : 0;
}

// model: popen
extern void *malloc(unsigned long);
extern _Bool __VERIFIER_nondet_bool(void);
void __gnomon_text(const char *text);
struct _IO_FILE *popen(const char *command, const char *mode)
{
    __gnomon_text(command);
    __gnomon_text(mode);
    return __VERIFIER_nondet_bool() ? malloc(1) : 0;
}

// model: tmpfile
extern void *malloc(unsigned long);
extern _Bool __VERIFIER_nondet_bool(void);
struct _IO_FILE *tmpfile(void) { return __VERIFIER_nondet_bool() ? malloc(1) : 0; }

// model: fmemopen
extern void *malloc(unsigned long);
extern _Bool __VERIFIER_nondet_bool(void);
void __gnomon_text(const char *text);
struct _IO_FILE *fmemopen(void *buffer, unsigned long size, const char *mode)
{
    __gnomon_text(mode);
    return __VERIFIER_nondet_bool() ? malloc(1) : 0;
}

// model: fclose
extern _Bool __VERIFIER_nondet_bool(void);
int fclose(void *stream) { return __VERIFIER_nondet_bool() ? -1 : 0; }

// model: fgetc
extern int __VERIFIER_nondet_int(void);
int fgetc(void *stream)
{
    int c = __VERIFIER_nondet_int();
    return c >= 0 && c <= 255 ? c : -1;
}

// model: getc
extern int __VERIFIER_nondet_int(void);
int getc(void *stream)
{
    int c = __VERIFIER_nondet_int();
    return c >= 0 && c <= 255 ? c : -1;
}

// model: getdelim
extern void *malloc(unsigned long);
extern unsigned long __VERIFIER_nondet_ulong(void);
long getdelim(char **line, unsigned long *size, int delimiter, struct _IO_FILE *stream)
{
    unsigned long room = __VERIFIER_nondet_ulong(), length = __VERIFIER_nondet_ulong();
    if (length == 0 || length >= room)
        return -1;
    *line = malloc(room);
    *size = room;
    (*line)[length] = 0;
    return length;
}

// model: getline
extern void *malloc(unsigned long);
extern unsigned long __VERIFIER_nondet_ulong(void);
long getline(char **line, unsigned long *size, struct _IO_FILE *stream)
{
    unsigned long room = __VERIFIER_nondet_ulong(), length = __VERIFIER_nondet_ulong();
    if (length == 0 || length >= room)
        return -1;
    *line = malloc(room);
    *size = room;
    (*line)[length] = 0;
    return length;
}

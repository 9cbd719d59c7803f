// gnomon: true
// option: closed_at_exit=on
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *), fputs(const char *, FILE *);
extern int __VERIFIER_nondet_int(void);
static FILE *log_file;
static void start(void) { log_file = fopen("log", "w"); }
static void stop(void)
{
    if (log_file)
        fclose(log_file);
    log_file = 0;
}
int main(void)
{
    start();
    if (log_file)
        fputs("hello", log_file);
    stop();
    stop();
    return 0;
}

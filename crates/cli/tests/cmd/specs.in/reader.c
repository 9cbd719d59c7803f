typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int fclose(FILE *), fgetc(FILE *);
typedef struct { int n; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
static pthread_mutex_t guard;

static int first(FILE *f)
{
    int c = fgetc(f);
    if (c < 0)
        fclose(f);
    return c;
}

int main(void)
{
    FILE *f = fopen("a", "r");
    if (!f)
        return 1;
    pthread_mutex_lock(&guard);
    int c = first(f);
    pthread_mutex_unlock(&guard);
    fclose(f);
    return c;
}

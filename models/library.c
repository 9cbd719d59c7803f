// Bodies of functions of the C library, for programs that call them and do not define them.
//
// What is written here is what a proof knows about the function: it must be what every C library
// does, in the "C" locale. A function that is not here, and that gnomon does not know otherwise,
// returns anything. Every model begins with a line `// model: NAME`.

// model: abs
int abs(int x) { return x < 0 ? -x : x; }

// model: labs
long labs(long x) { return x < 0 ? -x : x; }

// model: llabs
long long llabs(long long x) { return x < 0 ? -x : x; }

// model: fmax
double fmax(double x, double y) { return x != x ? y : y != y ? x : x < y ? y : x; }

// model: fmaxf
float fmaxf(float x, float y) { return x != x ? y : y != y ? x : x < y ? y : x; }

// model: fmin
double fmin(double x, double y) { return x != x ? y : y != y ? x : y < x ? y : x; }

// model: fminf
float fminf(float x, float y) { return x != x ? y : y != y ? x : y < x ? y : x; }

// model: fdim
double fdim(double x, double y) { return x != x ? x : y != y ? y : x > y ? x - y : 0.0; }

// model: fdimf
float fdimf(float x, float y) { return x != x ? x : y != y ? y : x > y ? x - y : 0.0f; }

// model: tolower
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

// model: toupper
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

/* Macros that programs may have, for example from <windows.h>, <sys/sysmacros.h>, <complex.h>,
 * <termios.h>, X11, Qt. In C++ the test defines the macros after the headers of the standard
 * library and of {fmt}, which leat can't change; in C, after <sys/types.h>. */
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define small char
#define near
#define far
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define ERROR 0
#define DELETE 0x10000
#define CreateFile CreateFileW
#define GetObject GetObjectW
#define SendMessage SendMessageW
#define TRUE 1
#define FALSE 0
#define major(device) ((device) >> 8)
#define minor(device) ((device) & 255)
#define makedev(a, b) (((a) << 8) | (b))
#define unix 1
#define linux 1
#define I 1.0iF
#define complex _Complex
#define B0 0
#define B9600 15
#define ECHO 8
#define CR0 0
#define NL0 0
#define None 0L
#define Success 0
#define Status int
#define Bool int
#define Always 2
#define Unsorted 0
#define signals public
#define slots
#define emit
#define foreach(a, b) for (a : b)
#define check(x) (x)
#define verify(x) (x)
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define _T(x) x
#define _N 78
#define _L 76

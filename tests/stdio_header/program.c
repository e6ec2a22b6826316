/* Uses most of <stdio.h>. run.sh compiles this program with libc's header and with leat's: the
 * output must be the same. Valid as C11 and as C++20. */
#if !defined(_GNU_SOURCE) && !defined(STRICT_C)
#  define _GNU_SOURCE 1
#endif
#if defined(WITH_LEAT)
#  include <leat/stdio.h>
#endif
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#if !defined(STRICT_C)
#  include <unistd.h>
#endif
#if !defined(STRICT_C) && !defined(WITHOUT_PROCESSES)
#  include <pthread.h>
#endif
#if !defined(STRICT_C) && !defined(WITHOUT_PROCESSES) && __has_include(<gnu/libc-version.h>)
#  define OF_GLIBC 1
#  include <argp.h>
#  include <mntent.h>
#  include <pwd.h>
#endif
#ifdef __cplusplus
#  include <cstdio>
#  include <cwchar>
#  include <string>
#endif

static const char* path;

static FILE* open_file(const char* mode) {
  FILE* const f = fopen(path, mode);
  if (f == NULL) {
    perror(path);
    exit(1);
  }
  return f;
}

static int v_fprintf(FILE* f, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vfprintf(f, format, list);
  va_end(list);
  return n;
}
static int v_printf(const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vprintf(format, list);
  va_end(list);
  return n;
}
static int v_sprintf(char* to, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vsprintf(to, format, list);
  va_end(list);
  return n;
}
static int v_snprintf(char* to, size_t size, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(to, size, format, list);
  va_end(list);
  return n;
}
static int v_sscanf(const char* text, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vsscanf(text, format, list);
  va_end(list);
  return n;
}
static int v_fscanf(FILE* f, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vfscanf(f, format, list);
  va_end(list);
  return n;
}

static void output_of_c(void) {
  char text[100];
  FILE* const f = open_file("w+");
  printf("%d", fputc('a', f));
  printf(" %d", putc('b', f));
  printf(" %d", fputs("cd\n", f) >= 0);
  printf(" %d", (int)fwrite("efgh", 2, 2, f));
  printf(" %d", fprintf(f, "%s-%d-%.2f\n", "x", 42, 1.5));
  printf(" %d", fprintf(f, "plain"));
  printf(" %d", v_fprintf(f, "%5d|%-5s|", 7, "y"));
  int count = -1;
  fprintf(f, "%s%n", "counted", &count);
  printf(" %d\n", count);
  printf("%d", sprintf(text, "%x %o %c", 255, 8, 'z'));
  printf(" %s", text);
  printf(" %d", snprintf(text, 4, "%s", "abcdef"));
  printf(" %s", text);
  printf(" %d", v_sprintf(text, "%i", -1));
  printf(" %d", v_snprintf(text, sizeof text, "%e", 12345.678));
  printf(" %s", text);
  v_printf(" %s\n", "printed");
  printf("%ld %d", ftell(f), fflush(f));
  fpos_t position;
  printf(" %d", fgetpos(f, &position));
  rewind(f);
  printf(" %d", fgetc(f));
  printf(" %d", getc(f));
  printf(" %d", ungetc('!', f));
  printf(" %d", getc(f));
  printf(" %s", fgets(text, sizeof text, f));
  printf("%d", (int)fread(text, 1, 3, f));
  text[3] = '\0';
  printf(" %s %ld", text, ftell(f));
  printf(" %d %d", fsetpos(f, &position), feof(f));
  printf(" %d", fgetc(f));
  printf(" %d %d", feof(f) != 0, ferror(f) != 0);
  clearerr(f);
  printf(" %d", feof(f));
  printf(" %d", fseek(f, -3, SEEK_END));
  printf(" %d", fgetc(f));
  printf(" %d\n", fclose(f));
}

static void input_of_c(void) {
  FILE* f = open_file("w");
  fputs("12 abc 3.5 0x1f\nsecond line\n", f);
  fclose(f);
  f = open_file("r");
  int number = 0, hex = 0;
  double real = 0;
  char word[20] = "";
  printf("%d", fscanf(f, "%d %19s", &number, word));
  printf(" %d %s", number, word);
  printf(" %d", v_fscanf(f, "%lf %i", &real, &hex));
  printf(" %.1f %d", real, hex);
  printf(" %d %d %d\n", sscanf("7 8", "%d", &number), number, v_sscanf("9", "%d", &number));
  printf("%d", fscanf(f, "%*s %19[a-z]", word));
  printf(" %s", word);
  printf(" %d\n", fscanf(f, "%d", &number));
  fclose(f);
}

static void buffers_of_c(void) {
  char buffer[BUFSIZ], short_buffer[32];
  FILE* f = open_file("w");
  printf("%d", setvbuf(f, short_buffer, _IOFBF, sizeof short_buffer));
  for (int i = 0; i < 50; ++i) fprintf(f, "%d,", i);
  printf(" %d", fclose(f));
  f = open_file("a");
  setbuf(f, buffer);
  fputs("appended", f);
  printf(" %d", fclose(f));
  f = open_file("r");
  setbuf(f, NULL);
  printf(" %d", getc(f));
  f = freopen(path, "r", f);
  printf(" %d", f != NULL && fseek(f, -8, SEEK_END) == 0 && getc(f) == 'a');
  fclose(f);
  f = tmpfile();
  printf(" %d", f != NULL && fputs("temporary", f) >= 0 && ftell(f) == 9);
  fclose(f);
  errno = 0;
  f = fopen("/does/not/exist", "r");
  printf(" %d %d", f == NULL, errno == ENOENT);
  f = fopen(path, "?");
  printf(" %d", f == NULL);
  f = fopen(path, "wx");
  printf(" %d\n", f == NULL && errno == EEXIST);
}

/* Mode "t": text mode on Windows; elsewhere the letter has no effect. */
static void text_mode(void) {
#if defined(_WIN32)
  const int expected = 6;
#else
  const int expected = 4;
#endif
  char line[10];
  FILE* f = open_file("wt");
  fputs("a\nb\n", f);
  fclose(f);
  f = open_file("rt");
  printf("%s", fgets(line, sizeof line, f));
  printf("%d", fgetc(f));
  fclose(f);
  f = open_file("rb");
  fseek(f, 0, SEEK_END);
  printf(" %d\n", ftell(f) == expected);
  fclose(f);
}

static void standard_streams(void) {
  printf("%d %d ", putchar('x'), puts("puts"));
  fputs("to standard error\n", stderr);
  fprintf(stdout, "stdout %d\n", stdin != NULL);
  int (*const close_function)(FILE*) = &fclose;
  int (*const print_function)(const char*, ...) = &printf;
  print_function("by address %d\n", close_function != NULL);
  char line[32];
  printf("%d", getchar());
  printf(" %s", fgets(line, sizeof line, stdin));
  int number = 0;
  printf("%d", scanf("%d", &number));
  printf(" %d\n", number);
}

static void wide(void) {
  FILE* f = open_file("w");
  wchar_t text[50];
  printf("%d", fwide(f, 0));
  printf(" %d", fwprintf(f, L"%d %ls %s %.2f\n", 42, L"wide", "narrow", 2.5));
  printf(" %d", fputwc(L'w', f) == L'w');
  printf(" %d", fputws(L"ords\n", f) >= 0);
  printf(" %d", fwide(f, 0) > 0);
  fclose(f);
  f = open_file("r");
  printf(" %d", fgetwc(f) == L'4');
  printf(" %d", ungetwc(L'5', f) == L'5');
  int number = 0;
  printf(" %d", fwscanf(f, L"%d %49ls", &number, text));
  printf(" %d %ls", number, text);
  printf(" %ls", fgetws(text, 50, f));
  printf("%d", swprintf(text, 50, L"%d-%ls", 1, L"x"));
  printf(" %d %d\n", swscanf(L"23", L"%d", &number), number);
  fclose(f);
}

#if !defined(STRICT_C)
static void posix(void) {
  FILE* f = open_file("w");
  for (int i = 0; i < 3; ++i) fprintf(f, "line %d\n", i);
  printf("%d", fileno(f) > 2);
  fclose(f);
  f = open_file("r");
  char* line = NULL;
  size_t size = 0;
  printf(" %d %s", (int)getline(&line, &size, f), line);
  printf("%d %s", (int)getdelim(&line, &size, ' ', f), line);
  printf(" %d", getc_unlocked(f));
  printf(" %d", (int)ftello(f));
  printf(" %d", fseeko(f, 0, SEEK_SET));
  flockfile(f);
  printf(" %d", ftrylockfile(f));
  funlockfile(f);
  funlockfile(f);
  fclose(f);
  f = fdopen(dup(1), "w");
  fflush(stdout);
  fprintf(f, " to a copy of 1\n");
  fclose(f);
  dprintf(1, "dprintf %d\n", 5);
  char memory[10] = "abc";
  f = fmemopen(memory, sizeof memory, "r+");
  printf("%d", fgetc(f));
  fseek(f, 0, SEEK_SET);
  fputs("xy", f);
  fclose(f);
  printf(" %s", memory);
  char* grown = NULL;
  f = open_memstream(&grown, &size);
  for (int i = 0; i < 100; ++i) fprintf(f, "%d ", i);
  fclose(f);
  printf(" %d %.10s", (int)size, grown);
  free(grown);
  f = open_memstream(&grown, &size);
  fputs("hello", f);
  rewind(f);
  printf(" %d", fgetc(f));
  rewind(f);
  fputs("hi", f);
  fclose(f);
  printf(" %d %s", (int)size, grown);
  free(grown);
  free(line);
  line = NULL;
  fclose(open_file("w"));
  f = open_file("r");
  printf(" %d", (int)getline(&line, &size, f) == -1 && line != NULL);
  fclose(f);
  putchar_unlocked('u');
  putc_unlocked('\n', stdout);
  char* allocated = NULL;
  printf("%d", asprintf(&allocated, "%s:%d", "made", 1));
  printf(" %s\n", allocated);
  free(allocated);
  free(line);
}
#endif

#if defined(OF_GLIBC)
/* Calls functions of other headers that take a FILE. */
static void other_headers(void) {
  FILE* f = open_file("w");
  fputs("/dev/one /mnt ext4 rw,x=5 0 1\nname:x:5:6:text:/home:/bin/sh\n", f);
  fclose(f);
  f = open_file("r+");
  struct mntent* const mount = getmntent(f);
  printf("%s %s %d", mount->mnt_fsname, hasmntopt(mount, "x"), mount->mnt_passno);
  struct passwd entry, *found = NULL;
  char buffer[200];
  printf(" %d", fgetpwent_r(f, &entry, buffer, sizeof buffer, &found));
  printf(" %s %d", found->pw_name, (int)found->pw_gid);
  rewind(f);
  printf(" %d", addmntent(f, mount));
  fclose(f);
  f = setmntent(path, "r");
  struct mntent last_mount;
  getmntent_r(f, &last_mount, buffer, sizeof buffer);
  getmntent_r(f, &last_mount, buffer, sizeof buffer);
  printf(" %s %d", last_mount.mnt_fsname, getmntent(f) == NULL);
  while (getmntent(f) != NULL) {
  }
  rewind(f);
  printf(" %d", getmntent(f) != NULL);
  printf(" %d\n", endmntent(f));
  f = fopen(path, "r");
  printf("%d\n", f != NULL && fgetc(f) == '/' && endmntent(f));
  const struct argp_option options[] = {{"one", '1', NULL, 0, "the first", 0},
                                        {NULL, 0, NULL, 0, NULL, 0}};
  const struct argp parser = {options, NULL, "FILE", "What it does", NULL, NULL, NULL};
  char name[] = "name";
  argp_help(&parser, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, name);
}

/* Uses the members of FILE that gnulib's freadahead, freadptr, freadseek and fseterr use. */
static void members(void) {
  FILE* f = open_file("w+");
  fputs("some text", f);
  printf("%d", f->_IO_write_ptr > f->_IO_write_base);
  rewind(f);
  printf(" %d", fgetc(f));
  printf(" %d", f->_IO_write_ptr > f->_IO_write_base);
  printf(" %d %.3s", (int)(f->_IO_read_end - f->_IO_read_ptr), f->_IO_read_ptr);
  f->_IO_read_ptr += 4;
  printf(" %d %ld", fgetc(f), ftell(f));
  f->_flags |= _IO_ERR_SEEN;
  printf(" %d", ferror(f) != 0);
  clearerr(f);
  printf(" %d %d\n", ferror(f) != 0, sizeof(FILE) > 100);
  fclose(f);
}

static void large_files(void) {
  FILE* f = fopen64(path, "w+");
  printf("%d", fseeko64(f, (off64_t)5 << 30, SEEK_SET));
  printf(" %lld", (long long)ftello64(f));
  fpos64_t position;
  printf(" %d", fgetpos64(f, &position));
  printf(" %d", fsetpos64(f, &position));
  f = freopen64(path, "r", f);
  fclose(f);
  f = tmpfile64();
  printf(" %d\n", fclose(f));
}
#endif

#if !defined(STRICT_C) && !defined(WITHOUT_PROCESSES)
static void processes(void) {
  char* line = NULL;
  size_t size = 0;
  FILE* f = popen("echo from a process", "r");
  printf("%d %s", (int)getline(&line, &size, f), line);
  printf("%d\n", pclose(f));
  fflush(stdout);
  f = popen("cat; exit 3", "w");
  fputs("to a process\n", f);
  printf("%d\n", pclose(f) >> 8);
  free(line);
}
#endif

#if !defined(STRICT_C) && !defined(WITHOUT_PROCESSES)
/* One thread begins to use a stream, and then other threads share the stream. No byte is lost. */
static void put_all(FILE* f) {
  for (int i = 0; i < 50000; ++i) {
    fputc('a', f);
    fprintf(f, "b");
    fwrite("cd", 1, 2, f);
  }
}
static void* put_by_thread(void* f) {
  put_all((FILE*)f);
  return NULL;
}
struct reading {
  FILE* f;
  long bytes;
};
static void get_all(struct reading* r) {
  for (int c; (c = fgetc(r->f)) != EOF;) ++r->bytes;
}
static void* get_by_thread(void* r) {
  get_all((struct reading*)r);
  return NULL;
}

static void threads(void) {
  FILE* f = open_file("w");
  put_all(f);
  pthread_t other_threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&other_threads[i], NULL, put_by_thread, f);
  put_all(f);
  for (int i = 0; i < 2; ++i) pthread_join(other_threads[i], NULL);
  put_all(f);
  fclose(f);

  f = open_file("r");
  struct reading readings[2] = {{f, 0}, {f, 0}};
  for (int i = 0; i < 1000; ++i) readings[0].bytes += fgetc(f) != EOF;
  pthread_create(&other_threads[1], NULL, get_by_thread, &readings[1]);
  get_all(&readings[0]);
  pthread_join(other_threads[1], NULL);
  printf("%ld %d\n", readings[0].bytes + readings[1].bytes, fclose(f));
}
#endif

int main(int argc, char** argv) {
  setlocale(LC_ALL, "C.UTF-8");
  path = argc > 1 ? argv[1] : "program.out";
  output_of_c();
  input_of_c();
  buffers_of_c();
  text_mode();
  standard_streams();
  wide();
#if !defined(STRICT_C)
  posix();
#endif
#if defined(OF_GLIBC)
  other_headers();
  members();
  large_files();
#endif
#if !defined(STRICT_C) && !defined(WITHOUT_PROCESSES)
  processes();
  threads();
#endif
#ifdef __cplusplus
  std::printf("std::%s\n", std::string("printf").c_str());
  std::fputs("std::fputs\n", stdout);
#endif
  remove(path);
  printf("%d\n", rename("/does/not/exist", path) != 0);
  fputs("no newline at the end, flushed by exit", stdout);
  return 0;
}

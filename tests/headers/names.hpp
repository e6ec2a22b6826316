// Names that a program may have, as functions, templates, types and variables. leat's headers must
// compile after these declarations, so each name that the headers use must be leat's own or
// qualified.
#pragma once

// Functions of std. In leat's headers, a call without `std::` may choose one of these templates,
// whose result is void.
template <class... T>
void move(T&&...);
template <class... T>
void forward(T&&...);
template <class... T>
void swap(T&&...);
template <class... T>
void exchange(T&&...);
template <class... T>
void copy(T&&...);
template <class... T>
void find(T&&...);
template <class... T>
void fill(T&&...);
template <class... T>
void search(T&&...);
template <class... T>
void min(T&&...);
template <class... T>
void max(T&&...);
template <class... T>
void size(T&&...);
template <class... T>
void data(T&&...);
template <class... T>
void begin(T&&...);
template <class... T>
void end(T&&...);
template <class... T>
void addressof(T&&...);
template <class... T>
void make_unique(T&&...);
template <class... T>
void to_string(T&&...);
template <class... T>
void format(T&&...);
template <class... T>
void print(T&&...);
template <class... T>
void println(T&&...);
template <class... T>
void bit_cast(T&&...);
template <class... T>
void make_error_code(T&&...);

// Types and concepts of std
template <class...>
struct vector;
template <class...>
struct span;
template <class...>
struct optional;
template <class...>
struct unique_ptr;
template <class...>
struct function;
template <class...>
struct array;
struct string;
struct string_view;
struct error_code;
struct errc;
struct byte;
struct endian;
struct mutex;
struct system_error;
struct istream;
struct ostream;
template <class...>
concept integral = false;
template <class...>
concept same_as = false;

// From <chrono>
struct seconds;
struct milliseconds;
struct nanoseconds;
struct duration;
struct time_point;
struct sys_days;
struct system_clock;
int hours, minutes, days, weeks, months, years, year, month, day;
template <class... T>
void floor(T&&...);
template <class... T>
void duration_cast(T&&...);
template <class... T>
void hh_mm_ss(T&&...);

// Functions of POSIX. As templates, these names do not conflict with functions of the C library.
template <class... T>
void open(T&&...);
template <class... T>
void close(T&&...);
template <class... T>
void read(T&&...);
template <class... T>
void write(T&&...);
template <class... T>
void sync(T&&...);
template <class... T>
void mmap(T&&...);
template <class... T>
void stat(T&&...);
template <class... T>
void remove(T&&...);

// leat's own names, declared by the program
struct writer;
struct reader;
struct file;
struct records;
struct device;
struct failure;
struct finder;
struct fields;
struct source;
struct sink;
struct options;
struct runtime;
struct little;
struct big;
enum class pattern { plain };
enum class mode { fast };
enum class route { north };
int out, in, err, lines, follow, append, replace, update, create, line, next;
namespace detail {
struct options;
struct opening;
}  // namespace detail

/* An extension of CPython with its own leat. MODULE is the name of the extension. write() and
 * read() release the interpreter's lock (GIL). */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <leat/leat.h>

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)
#define INIT_OF(name) PyInit_##name
#define INIT(name) INIT_OF(name)

static PyObject* failed(void) {
  const leat_error* const error = leat_last_error();
  return PyErr_Format(PyExc_OSError, "%s", error->message);
}

/* Writes "0 0.0", "1 0.5", … */
static int write_lines(leat_writer* out, long long lines) {
  for (long long i = 0; i != lines; ++i) leat_writer_printf(out, "%lld %.1f\n", i, (double)i * 0.5);
  return leat_writer_close(out);
}

static PyObject* python_write(PyObject* self, PyObject* args) {
  const char* path;
  long long lines;
  (void)self;
  if (!PyArg_ParseTuple(args, "sL", &path, &lines)) return NULL;
  int result = -1;
  Py_BEGIN_ALLOW_THREADS leat_writer* const out = leat_writer_create(path, NULL);
  if (out != NULL) result = write_lines(out, lines);
  Py_END_ALLOW_THREADS return result == 0 ? PyLong_FromLong(0) : failed();
}

/* Returns the sum of all numbers in a file. */
static PyObject* python_read(PyObject* self, PyObject* args) {
  const char* path;
  (void)self;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  double sum = 0, number;
  int result = -1;
  Py_BEGIN_ALLOW_THREADS leat_reader* const in = leat_reader_open(path, NULL);
  if (in != NULL) {
    while ((result = leat_reader_parse_double(in, &number)) == 1) sum += number;
    leat_reader_close(in);
  }
  Py_END_ALLOW_THREADS return result == 0 ? PyFloat_FromDouble(sum) : failed();
}

/* Returns the bytes of a file, read through a mapping. */
static PyObject* python_mapped(PyObject* self, PyObject* args) {
  const char* path;
  (void)self;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  leat_reader* const in = leat_reader_map(path, NULL);
  if (in == NULL) return failed();
  const leat_text all = leat_reader_mapped(in);
  PyObject* const bytes = PyBytes_FromStringAndSize(all.bytes, (Py_ssize_t)all.size);
  leat_reader_close(in);
  return bytes;
}

/* Leaves open a stream that has a background thread. The thread does not flush before the end of
 * the process. */
static PyObject* python_keep(PyObject* self, PyObject* args) {
  const char* path;
  (void)self;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  const leat_writer_options options = {.flush_interval = 1000000};
  leat_writer* const out = leat_writer_create(path, &options);
  if (out == NULL) return failed();
  leat_writer_printf(out, "kept by %s\n", STRING(MODULE));
  return PyLong_FromLong(0);
}

static PyMethodDef methods[] = {{"write", python_write, METH_VARARGS, NULL},
                                {"read", python_read, METH_VARARGS, NULL},
                                {"mapped", python_mapped, METH_VARARGS, NULL},
                                {"keep", python_keep, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, STRING(MODULE), NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC INIT(MODULE)(void);
PyMODINIT_FUNC INIT(MODULE)(void) { return PyModule_Create(&module); }

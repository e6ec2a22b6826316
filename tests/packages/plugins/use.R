# Loads, uses and unloads two extensions, each with its own leat, repeatedly and in each order.
folder <- commandArgs(trailingOnly = TRUE)[1]
one <- file.path(folder, "r_static.so")
two <- file.path(folder, "r_shared.so")
path <- file.path(folder, "file of R")

use <- function(library) {
  name <- sub("[.]so$", "", basename(library))
  written <- .C("leat_write", path, 10000L, result = 0L, PACKAGE = name)
  read <- .C("leat_read", path, sum = 0, result = 0L, PACKAGE = name)
  mapped <- .C("leat_map", path, size = 0, result = 0L, PACKAGE = name)
  stopifnot(written$result == 0, read$result == 0, mapped$result == 0, read$sum == 10000 * 9999 / 2 * 1.5,
            mapped$size == file.size(path))
  missing <- .C("leat_read", file.path(folder, "missing"), sum = 0, result = 0L, PACKAGE = name)
  stopifnot(missing$result == -1)
}

for (round in 1:10) {
  dyn.load(one)
  dyn.load(two)
  use(one)
  use(two)
  dyn.unload(if (round %% 2 == 0) one else two)
  use(if (round %% 2 == 0) two else one)
  dyn.unload(if (round %% 2 == 0) two else one)
}
cat("R: passed\n")

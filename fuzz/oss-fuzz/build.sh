#!/bin/bash -eu
# Builds the fuzz targets into $OUT, each with its corpus if there is one. Targets whose libraries
# the image lacks are left out. OSS-Fuzz sets the compilers, their flags, $LIB_FUZZING_ENGINE, and
# the folders $SRC, $WORK and $OUT.
cmake -S "$SRC/fmt" -B "$WORK/fmt" -G Ninja -DFMT_TEST=OFF -DFMT_DOC=OFF \
  -DCMAKE_CXX_STANDARD=20 -DCMAKE_INSTALL_PREFIX="$WORK/installed"
cmake --build "$WORK/fmt" --target install

cmake -S "$SRC/leat" -B "$WORK/leat" -G Ninja -DLEAT_FUZZ=ON -DLEAT_URING=OFF \
  -DLEAT_TOOLS=OFF -DLEAT_TESTS=OFF -DLEAT_EXAMPLES=OFF \
  -DLEAT_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_PREFIX_PATH="$WORK/installed"
cmake --build "$WORK/leat"

for program in "$WORK"/leat/fuzz/fuzz_*; do
  name=$(basename "$program")
  cp "$program" "$OUT/"
  corpus=$SRC/leat/fuzz/corpora/${name#fuzz_}
  if [ -d "$corpus" ]; then zip -qj "$OUT/${name}_seed_corpus.zip" "$corpus"/*; fi
done

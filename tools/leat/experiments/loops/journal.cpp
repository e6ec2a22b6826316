// `leat bench loops/journal`: write-ahead logs. leat's journal is compared to the logs of LevelDB
// and RocksDB, with records of 100 bytes at each level of durability. Each run makes a new file,
// adds the records and closes the file; the loop `read` reads all records of a file.
//
// Levels: with `none`, a killed program may lose the bytes in its memory; with `process`, a killed
// program loses no byte; `system` syncs after each record. LevelDB's log flushes after each record;
// for `none`, a wrapper of its file ignores the flush. RocksDB gets blobs, which it writes only to
// its log.
#include <leat/leat.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "experiments/loops/loops.hpp"
#include "system/failure.hpp"
#include "system/path_text.hpp"

#if defined(LEAT_BENCH_LEVELDB)
#  include <db/log_writer.h>
#  include <leveldb/env.h>
#endif
#if defined(LEAT_BENCH_ROCKSDB)
#  include <rocksdb/db.h>
#  include <rocksdb/options.h>
#  include <rocksdb/write_batch.h>
#endif

namespace bench::loops_journal {

namespace {

const std::string text(100, 'x');

struct level {
  const char* name;
  leat::durability durability;
  std::size_t records;  // per thread
  int threads = 1;
  bool is_lazy() const { return durability == leat::durability::none; }
  bool syncs() const { return durability == leat::durability::system; }
};

/// Calls add_one() for each record, in each thread of a level.
template <class One>
void add_records(const level& chosen, const One& add_one) {
  const auto share = [&] {
    for (std::size_t i = 0; i != chosen.records; ++i) add_one();
  };
  std::vector<std::jthread> others;
  for (int left = chosen.threads; left > 1; --left) others.emplace_back(share);
  share();
}

void by_leat(const level& chosen, run& this_run) {
  auto log = leat::journal::open(this_run.file, {.durability = chosen.durability});
  add_records(chosen, [&] {
    log.append(text);
    if (chosen.syncs()) log.sync();
  });
  log.close();
}

std::size_t bytes_of(const std::filesystem::path& path) {
  std::size_t bytes = 0;
  auto in = leat::journal_reader::open(path);
  for (const auto& record : in) bytes += record.bytes.size();
  return bytes;
}

#if defined(LEAT_BENCH_LEVELDB)

/// A file that ignores Flush(): the file below writes when its buffer is full. Owns the file below.
class lazy_file final : public leveldb::WritableFile {
 public:
  explicit lazy_file(leveldb::WritableFile* below) : below_(below) {}
  ~lazy_file() override { delete below_; }
  leveldb::Status Append(const leveldb::Slice& data) override { return below_->Append(data); }
  leveldb::Status Close() override { return below_->Close(); }
  leveldb::Status Flush() override { return {}; }
  leveldb::Status Sync() override { return below_->Sync(); }

 private:
  leveldb::WritableFile* below_;
};

struct leveldb_log {
  leveldb_log(const std::string& path, bool lazy) {
    leveldb::Env::Default()->NewWritableFile(path, &file);
    if (lazy) file = new lazy_file(file);
    writer = new leveldb::log::Writer(file);
  }
  leveldb_log(const leveldb_log&) = delete;
  leveldb_log& operator=(const leveldb_log&) = delete;
  ~leveldb_log() {
    delete writer;
    delete file;
  }
  leveldb::WritableFile* file = nullptr;
  leveldb::log::Writer* writer = nullptr;
};

void by_leveldb(const level& chosen, run& this_run) {
  leveldb_log log(utf8_from_path(this_run.file), chosen.is_lazy());
  add_records(chosen, [&] {
    log.writer->AddRecord(text);
    if (chosen.syncs()) log.file->Sync();
  });
  log.file->Close();
}

#endif

#if defined(LEAT_BENCH_ROCKSDB)

struct rocksdb_log {
  rocksdb_log(const std::string& path, bool lazy, bool sync) {
    rocksdb::Options db_options;
    db_options.create_if_missing = true;
    db_options.manual_wal_flush = lazy;
    write.sync = sync;
    rocksdb::DB::Open(db_options, path, &db);
  }
  rocksdb_log(const rocksdb_log&) = delete;
  rocksdb_log& operator=(const rocksdb_log&) = delete;
  ~rocksdb_log() { delete db; }
  void add() {
    rocksdb::WriteBatch batch;
    batch.PutLogData(text);
    db->Write(write, &batch);
  }
  rocksdb::DB* db = nullptr;
  rocksdb::WriteOptions write;
};

/// Excludes the opening and closing of the database from the time: neither is a cost of the log.
void by_rocksdb(const level& chosen, run& this_run) {
  rocksdb_log log(utf8_from_path(this_run.file), chosen.is_lazy(), chosen.syncs());
  const auto start = std::chrono::steady_clock::now();
  add_records(chosen, [&] { log.add(); });
  if (chosen.is_lazy()) log.db->FlushWAL(false);
  this_run.reported_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

#endif

experiment make(const request& wanted) {
  loops all(wanted, 1'000'000);
  const std::size_t many = all.count(), few = wanted.size == size::tiny ? 5 : 500;
  const std::vector<level> levels{{"none", leat::durability::none, many},
                                  {"process", leat::durability::process, many},
                                  {"system", leat::durability::system, few},
                                  {"system, 8 threads", leat::durability::system, few, 8}};
  for (const level& chosen : levels) {
    all.add(chosen.name, "leat", [chosen](run& this_run) { by_leat(chosen, this_run); });
#if defined(LEAT_BENCH_LEVELDB)
    if (chosen.threads == 1)
      all.add(chosen.name, "LevelDB", [chosen](run& this_run) { by_leveldb(chosen, this_run); });
#endif
#if defined(LEAT_BENCH_ROCKSDB)
    all.add(chosen.name, "RocksDB", [chosen](run& this_run) { by_rocksdb(chosen, this_run); });
#endif
  }
  all.add("read", "leat", [many](run& this_run) {
    if (bytes_of(this_run.folder / "read") != many * text.size())
      throw failure("the records read have another total size than the records written");
  });
  auto experiment =
      all.make_experiment("journal", "records of 100 bytes into a new journal", "record");
  experiment.cached = "Records that are not synced go to the page cache.";
  experiment.load = [many, levels](const setting& at) {
    auto records = many;
    for (const level& chosen : levels)
      if (at.has("loop", chosen.name))
        records = chosen.records * static_cast<std::size_t>(chosen.threads);
    return load{at["loop"].text, records * text.size(), records, "record"};
  };
  experiment.space = 500 * many;
  experiment.prepare = [many](const std::filesystem::path& folder) {
    auto log = leat::journal::open(folder / "read");
    for (std::size_t i = 0; i != many; ++i) log.append(text);
    log.close();
  };
  experiment.before = [](run& this_run) { std::filesystem::remove_all(this_run.file); };
  return experiment;
}

const registration journal(112, make);

}  // namespace

}  // namespace bench::loops_journal

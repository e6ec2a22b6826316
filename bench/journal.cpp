// Journals beside the logs of LevelDB and RocksDB: records of 100 bytes, at each level of
// durability. Each run makes a new file, adds the records and closes it.
//
// Levels: `window` may lose what is in the program's memory when it is killed; `process` loses
// nothing then; `system` syncs after each record. LevelDB's log writes after each record; to have
// its `window`, a file over its own ignores that. RocksDB writes blobs to its log only.
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <leat/leat.hpp>

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(LEAT_BENCH_LEVELDB)
#  include <db/log_writer.h>
#  include <leveldb/env.h>
#endif
#if defined(LEAT_BENCH_ROCKSDB)
#  include <rocksdb/db.h>
#  include <rocksdb/options.h>
#  include <rocksdb/write_batch.h>
#endif

namespace {

constexpr int many = 1'000'000, few = 500;
const std::string text(100, 'x');
const std::string path = "bench_journal.tmp";

template <class Open, class One, class Close>
void run(benchmark::State& state, int records, Open open, One one, Close close) {
  for (auto _ : state) {
    std::filesystem::remove_all(path);
    auto&& log = open();
    for (int i = 0; i != records; ++i) one(log);
    close(log);
  }
  state.SetItemsProcessed(state.iterations() * records);
  std::filesystem::remove_all(path);
}

/// Several threads that each add a record and sync it.
template <class Log, class One>
void run_threads(benchmark::State& state, Log& log, One one) {
  const auto count = static_cast<int>(state.range(0));
  for (auto _ : state) {
    std::vector<std::thread> threads;
    for (int t = 0; t != count; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i != few; ++i) one(log);
      });
    }
    for (auto& thread : threads) thread.join();
  }
  state.SetItemsProcessed(state.iterations() * few * count);
}

// --- leat ---

void by_leat(benchmark::State& state, leat::durability level, int records) {
  run(
      state, records, [&] { return leat::journal::open(path, {.durability = level}); },
      [&](leat::journal& log) {
        log.append(text);
        if (level == leat::durability::system) log.sync();
      },
      [](leat::journal& log) { log.close(); });
}
void leat_window(benchmark::State& s) { by_leat(s, leat::durability::none, many); }
void leat_process(benchmark::State& s) { by_leat(s, leat::durability::process, many); }
void leat_system(benchmark::State& s) { by_leat(s, leat::durability::system, few); }
void leat_system_threads(benchmark::State& state) {
  std::filesystem::remove_all(path);
  auto log = leat::journal::open(path, {.durability = leat::durability::system});
  run_threads(state, log, [](leat::journal& to) {
    to.append(text);
    to.sync();
  });
}
BENCHMARK(leat_window)->UseRealTime();
BENCHMARK(leat_process)->UseRealTime();
BENCHMARK(leat_system)->UseRealTime();
BENCHMARK(leat_system_threads)->Arg(8)->UseRealTime();

void leat_read(benchmark::State& state) {
  std::filesystem::remove_all(path);
  auto log = leat::journal::open(path);
  for (int i = 0; i != many; ++i) log.append(text);
  log.close();
  for (auto _ : state) {
    std::size_t bytes = 0;
    auto in = leat::journal_reader::open(path);
    for (const auto& record : in) bytes += record.bytes.size();
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(state.iterations() * many);
  std::filesystem::remove_all(path);
}
BENCHMARK(leat_read)->UseRealTime();

#if defined(LEAT_BENCH_LEVELDB)

/// Passes nothing on before its buffer is full.
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
  leveldb_log(bool lazy) {
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

void by_leveldb(benchmark::State& state, bool lazy, bool sync, int records) {
  run(
      state, records, [&] { return leveldb_log(lazy); },
      [&](leveldb_log& log) {
        log.writer->AddRecord(text);
        if (sync) log.file->Sync();
      },
      [](leveldb_log& log) { log.file->Close(); });
}
void leveldb_window(benchmark::State& s) { by_leveldb(s, true, false, many); }
void leveldb_process(benchmark::State& s) { by_leveldb(s, false, false, many); }
void leveldb_system(benchmark::State& s) { by_leveldb(s, false, true, few); }
BENCHMARK(leveldb_window)->UseRealTime();
BENCHMARK(leveldb_process)->UseRealTime();
BENCHMARK(leveldb_system)->UseRealTime();

#endif

#if defined(LEAT_BENCH_ROCKSDB)

struct rocksdb_log {
  rocksdb_log(bool lazy, bool sync) {
    rocksdb::Options how;
    how.create_if_missing = true;
    how.manual_wal_flush = lazy;
    write.sync = sync;
    rocksdb::DB::Open(how, path, &db);
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

void by_rocksdb(benchmark::State& state, bool lazy, bool sync, int records) {
  for (auto _ : state) {
    state.PauseTiming();  // opening a database is no part of its log
    std::filesystem::remove_all(path);
    {
      rocksdb_log log(lazy, sync);
      state.ResumeTiming();
      for (int i = 0; i != records; ++i) log.add();
      if (lazy) log.db->FlushWAL(false);
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * records);
  std::filesystem::remove_all(path);
}
void rocksdb_window(benchmark::State& s) { by_rocksdb(s, true, false, many); }
void rocksdb_process(benchmark::State& s) { by_rocksdb(s, false, false, many); }
void rocksdb_system(benchmark::State& s) { by_rocksdb(s, false, true, few); }
void rocksdb_system_threads(benchmark::State& state) {
  std::filesystem::remove_all(path);
  rocksdb_log log(false, true);
  run_threads(state, log, [](rocksdb_log& to) { to.add(); });
}
BENCHMARK(rocksdb_window)->UseRealTime();
BENCHMARK(rocksdb_process)->UseRealTime();
BENCHMARK(rocksdb_system)->UseRealTime();
BENCHMARK(rocksdb_system_threads)->Arg(8)->UseRealTime();

#endif

}  // namespace

// SQLite reads databases, plain or compressed, through leat's files. Changes are refused.
#include <gtest/gtest.h>
#include <leat/adapters/sqlite.hpp>
#include <leat/codecs.hpp>
#include <leat/file_stream.hpp>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"
#include "support/scripted_device.hpp"

namespace {

using namespace leat_test;
using leat::adapters::sqlite_vfs;

struct connection {
  sqlite3* db = nullptr;
  int status;
  connection(const std::string& path, int flags, const char* vfs)
      : status(sqlite3_open_v2(path.c_str(), &db, flags, vfs)) {}
  ~connection() { sqlite3_close(db); }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Returns the first column of all rows. If the query fails, the last element is the error.
  std::vector<std::string> query(const std::string& sql) const {
    std::vector<std::string> rows;
    sqlite3_stmt* statement = nullptr;
    int result = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
    if (result == SQLITE_OK) {
      while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        rows.emplace_back(text != nullptr ? text : "null");
      }
    }
    if (result != SQLITE_DONE)
      rows.push_back("error " + std::to_string(sqlite3_extended_errcode(db)));
    sqlite3_finalize(statement);
    return rows;
  }
};

std::string make_database(const temporary_folder& folder, int rows) {
  const std::string path = folder / "a.db";
  const connection c(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  EXPECT_EQ(c.query("create table t(id integer primary key, text)"), std::vector<std::string>());
  EXPECT_EQ(
      c.query("with recursive n(i) as (values(1) union all select i + 1 from n where i < " +
              std::to_string(rows) + ") insert into t select i, hex(i * 7919 % 10007) || i from n"),
      std::vector<std::string>());
  c.query("create index by_text on t(text)");
  return path;
}

// Queries return the same rows with blocks of any size, and with a cache of fewer or more blocks
// than the file has.
TEST(sqlite, queries_have_the_same_results_as_with_sqlites_own_files) {
  const temporary_folder folder;
  const std::string path = make_database(folder, 3000);
  const connection own(path, SQLITE_OPEN_READONLY, nullptr);
  std::mt19937 random(20260107);
  for (const std::size_t block_size :
       {std::size_t{1}, std::size_t{1000}, std::size_t{4096}, std::size_t{65536}}) {
    for (const std::size_t blocks : {std::size_t{0}, std::size_t{3}, std::size_t{1000}}) {
      const sqlite_vfs vfs("leat", {.block_size = block_size, .blocks = blocks});
      const connection c(path, SQLITE_OPEN_READONLY, "leat");
      ASSERT_EQ(c.status, SQLITE_OK);
      ASSERT_EQ(c.query("pragma integrity_check"), std::vector<std::string>{"ok"});
      for (int i = 0; i != 20; ++i) {
        const std::string n = std::to_string(random() % 3500);
        for (const std::string& sql : {"select text from t where id = " + n,
                                       "select id from t where text > hex(" + n + ") limit 5",
                                       "select count(*) || sum(id) from t where id > " + n})
          ASSERT_EQ(c.query(sql), own.query(sql)) << sql;
      }
    }
  }
}

TEST(sqlite, queries_a_compressed_file) {
  const temporary_folder folder;
  const std::string path = make_database(folder, 3000);
  {
    auto out = leat::create(folder / "a.db.zst",
                            {.compression = leat::compression::zstd, .seekable = true});
    out.write(read_all(path));
    out.close();
  }
  const sqlite_vfs vfs("leat", {.access = {.compression = leat::compression::automatic}});
  const connection c(folder / "a.db.zst", SQLITE_OPEN_READONLY, "leat");
  ASSERT_EQ(c.status, SQLITE_OK);
  EXPECT_EQ(c.query("pragma integrity_check"), std::vector<std::string>{"ok"});
  EXPECT_EQ(c.query("select count(*) from t"), std::vector<std::string>{"3000"});
  // A large sort goes to a temporary file, which the default VFS opens.
  EXPECT_EQ(c.query("pragma temp_store = file"), std::vector<std::string>());
  EXPECT_EQ(c.query("pragma cache_size = 5"), std::vector<std::string>());
  EXPECT_EQ(
      c.query("select count(*) from (select text from t order by text || id limit -1 offset 1)"),
      std::vector<std::string>{"2999"});
}

TEST(sqlite, changes_are_refused) {
  const temporary_folder folder;
  const std::string path = make_database(folder, 3);
  const sqlite_vfs vfs("leat");
  const connection c(path, SQLITE_OPEN_READWRITE, "leat");
  ASSERT_EQ(c.status, SQLITE_OK);
  EXPECT_EQ(c.query("delete from t"), std::vector<std::string>{"error 8"});  // SQLITE_READONLY
  EXPECT_EQ(c.query("select count(*) from t"), std::vector<std::string>{"3"});
}

TEST(sqlite, last_error_has_the_reason_of_a_failed_open) {
  const temporary_folder folder;
  const sqlite_vfs vfs("leat");
  const connection c(folder / "none.db", SQLITE_OPEN_READONLY, "leat");
  EXPECT_EQ(c.status, SQLITE_CANTOPEN);
  EXPECT_EQ(leat::last_error().code(), std::errc::no_such_file_or_directory);
}

// The file loses its end after it was opened: SQLite gets an error, and
// last_error() has the reason.
TEST(sqlite, last_error_has_the_reason_of_a_failed_read) {
  const temporary_folder folder;
  const std::string path = make_database(folder, 3000);
  const sqlite_vfs vfs("leat", {.block_size = 4096, .blocks = 2});
  const connection c(path, SQLITE_OPEN_READONLY, "leat");
  ASSERT_EQ(c.query("select text from t where id = 1").size(), 1U);
  std::filesystem::resize_file(path, 8192);
  EXPECT_EQ(c.query("select count(*) from t where text is null").back(),
            "error " + std::to_string(SQLITE_IOERR_READ));
  EXPECT_EQ(leat::last_error().code(), leat::errc::ended_early);
  EXPECT_EQ(leat::last_error().path(), path);
}

TEST(sqlite, the_destructor_unregisters_the_vfs) {
  {
    const sqlite_vfs vfs("leat");
  }
  EXPECT_EQ(sqlite3_vfs_find("leat"), nullptr);
}

}  // namespace

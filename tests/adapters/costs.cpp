// The cost of an adapter, compared with the library's own way to read or write a file, in
// instructions. The number of instructions does not depend on the machine's load:
//
//     cmake --build build/release -t adapter_costs
//     cd /tmp && adapter_costs make && valgrind --tool=callgrind adapter_costs NAME
//
// `adapter_costs none` only starts and ends. Without an argument, adapter_costs prints the
// names of the benchmarks.
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/struct.pb.h>
#include <rapidjson/document.h>
#include <rapidjson/filereadstream.h>
#include <rapidjson/filewritestream.h>
#include <rapidjson/writer.h>
#include <simdjson.h>
#include <leat/adapters/nlohmann_json.hpp>
#include <leat/adapters/protobuf.hpp>
#include <leat/adapters/rapidjson.hpp>
#include <leat/adapters/sqlite.hpp>
#include <leat/leat.hpp>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using nlohmann::json;

google::protobuf::ListValue generated_message() {
  google::protobuf::ListValue message;
  for (int i = 0; i != 50'000; ++i)
    message.add_values()->set_string_value("text number " + std::to_string(i));
  return message;
}

json generated_json() {
  json people = json::array();
  for (int i = 0; i != 15'000; ++i)
    people.push_back(
        {{"name", "person " + std::to_string(i)}, {"age", i % 90}, {"share", i / 7.0}});
  return people;
}

void make_inputs() {
  leat::write_file("costs.json", generated_json().dump());
  leat::write_file("costs.pb", generated_message().SerializeAsString());
  std::remove("costs.db");
  sqlite3* db = nullptr;
  sqlite3_open("costs.db", &db);
  sqlite3_exec(
      db,
      "create table t(id integer primary key, text); with recursive n(i) as (values(1) union all "
      "select i + 1 from n where i < 50000) insert into t select i, 'text number ' || i from n",
      nullptr, nullptr, nullptr);
  sqlite3_close(db);
}

template <class Stream>
void parse(Stream& from) {
  rapidjson::Document all;
  all.ParseStream(from);
}

rapidjson::Document parsed_document() {
  const std::string text = leat::read_file("costs.json");
  rapidjson::Document all;
  all.Parse(text.c_str());
  return all;
}

template <class Stream>
void print(const rapidjson::Document& all, Stream& to) {
  rapidjson::Writer<Stream> json(to);
  all.Accept(json);
}

void query(const char* vfs) {
  sqlite3* db = nullptr;
  sqlite3_open_v2("costs.db", &db, SQLITE_OPEN_READONLY, vfs);
  sqlite3_exec(db, "select sum(length(text)) from t", nullptr, nullptr, nullptr);
  sqlite3_close(db);
}

constexpr std::size_t block = 65536;

const std::map<std::string_view, std::function<void()>> benchmarks = {
    {"none", [] {}},
    {"make", make_inputs},
    {"json-ifstream",
     [] {
       std::ifstream in("costs.json");
       const json all = json::parse(in);
     }},
    {"json-file",
     [] {
       std::FILE* const in = std::fopen("costs.json", "r");
       const json all = json::parse(in);
       std::fclose(in);
     }},
    {"json-leat",
     [] {
       auto in = leat::open("costs.json");
       const json all = json::parse(leat::adapters::json_input(in));
     }},
    {"json-string", [] { const json all = json::parse(leat::read_file("costs.json")); }},
    {"json-made", [] { const json all = generated_json(); }},
    {"json-to-ofstream",
     [] {
       std::ofstream out("costs.out");
       out << generated_json();
     }},
    {"json-to-leat",
     [] {
       auto out = leat::create("costs.out");
       leat::adapters::dump_json(out, generated_json());
       out.close();
     }},
    {"json-to-string",
     [] {
       auto out = leat::create("costs.out");
       out.write(generated_json().dump());
       out.close();
     }},
    {"rapidjson-file",
     [] {
       std::FILE* const file = std::fopen("costs.json", "r");
       std::vector<char> buffer(block);
       rapidjson::FileReadStream in(file, buffer.data(), buffer.size());
       parse(in);
       std::fclose(file);
     }},
    {"rapidjson-leat",
     [] {
       auto file = leat::open("costs.json");
       leat::adapters::rapidjson_input in(file);
       parse(in);
     }},
    {"rapidjson-made", [] { const auto all = parsed_document(); }},
    {"rapidjson-to-file",
     [] {
       std::FILE* const file = std::fopen("costs.out", "w");
       std::vector<char> buffer(block);
       rapidjson::FileWriteStream out(file, buffer.data(), buffer.size());
       print(parsed_document(), out);
       std::fclose(file);
     }},
    {"rapidjson-to-leat",
     [] {
       auto file = leat::create("costs.out");
       leat::adapters::rapidjson_output out(file);
       print(parsed_document(), out);
       file.close();
     }},
    {"protobuf-ifstream",
     [] {
       std::ifstream in("costs.pb", std::ios::binary);
       google::protobuf::ListValue all;
       all.ParseFromIstream(&in);
     }},
    {"protobuf-leat",
     [] {
       auto in = leat::open("costs.pb");
       leat::adapters::protobuf_input blocks(in);
       google::protobuf::ListValue all;
       all.ParseFromZeroCopyStream(&blocks);
     }},
    {"protobuf-made", [] { const auto all = generated_message(); }},
    {"protobuf-to-ofstream",
     [] {
       const auto message = generated_message();
       std::ofstream out("costs.out", std::ios::binary);
       message.SerializeToOstream(&out);
     }},
    {"protobuf-to-leat",
     [] {
       const auto message = generated_message();
       auto out = leat::create("costs.out");
       {
         leat::adapters::protobuf_output blocks(out);
         message.SerializeToZeroCopyStream(&blocks);
       }
       out.close();
     }},
    {"simdjson-load",
     [] {
       simdjson::dom::parser parser;
       static_cast<void>(parser.load("costs.json").error());
     }},
    {"simdjson-leat",
     [] {
       const auto file = leat::map_file("costs.json");
       simdjson::dom::parser parser;
       static_cast<void>(parser.parse(file.view().data(), file.view().size(), false).error());
     }},
    {"sqlite-own", [] { query(nullptr); }},
    {"sqlite-leat",
     [] {
       const leat::adapters::sqlite_vfs vfs("leat");
       query("leat");
     }},
};

}  // namespace

int main(int argc, char** argv) {
  const auto benchmark = benchmarks.find(argc > 1 ? argv[1] : "");
  if (benchmark == benchmarks.end()) {
    for (const auto& [name, run] : benchmarks) leat::println("{}", name);
    return 2;
  }
  benchmark->second();
}

// The records in a loop are copies, too.
// expect: read-only object|with const-qualified type
#include <leat/records.hpp>

struct node {
  int count;
};
void wrong(leat::records<node>& nodes) {
  for (auto&& one : nodes) one.count = 0;
}

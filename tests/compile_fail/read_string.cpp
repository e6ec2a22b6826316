// A string: into its present size, or all there is?
// expect: use of deleted function|call to deleted (member )?function
#include <leat/reader.hpp>

#include <string>

void wrong(leat::reader& in) {
  std::string text(10, ' ');
  in.read(text);
}

// Certificates for servers of tests, made when they are needed.
#pragma once

#include <string>

namespace leat_test {

struct certificate {
  std::string names = "IP:127.0.0.1,DNS:localhost";  ///< of whom it is, as OpenSSL writes it
  long valid_until = 3600;                           ///< seconds from now
};

/// Writes FILE.pem, which is also what trusts it, and FILE.key.
void write_certificate(const std::string& file, const certificate& of);

}  // namespace leat_test

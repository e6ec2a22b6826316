// Certificates for the tests' servers, made when a test needs them.
#pragma once

#include <string>

namespace leat_test {

struct certificate {
  std::string names = "IP:127.0.0.1,DNS:localhost";  ///< the subject's names, in OpenSSL's syntax
  long valid_until = 3600;                           ///< seconds from now
};

/// Writes FILE.pem, the certificate, which clients can also trust, and FILE.key, its private key.
/// Throws std::runtime_error on failure.
void write_certificate(const std::string& file, const certificate& of);

}  // namespace leat_test

// Certificates for the tests' servers, made when a test needs them.
#pragma once

#include <string>

namespace leat_test {

struct certificate {
  std::string names = "IP:127.0.0.1,DNS:localhost";  ///< the subject's names, in OpenSSL's syntax
  long valid_seconds = 3600;                         ///< seconds from now
};

/// Writes a self-signed certificate to FILE.pem and its private key to FILE.key. Clients can trust
/// FILE.pem as a file of certificates (ca_file). If signing or writing fails, throws
/// std::runtime_error.
void write_certificate(const std::string& file, const certificate& description);

}  // namespace leat_test

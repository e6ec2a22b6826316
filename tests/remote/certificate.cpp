// Implements write_certificate with OpenSSL.
#include "remote/certificate.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace leat_test {

namespace {

template <auto End>
struct deleter {
  void operator()(auto* object) const { End(object); }
};
template <class Thing, auto End>
using openssl_ptr = std::unique_ptr<Thing, deleter<End>>;
using file_ptr = openssl_ptr<std::FILE, std::fclose>;

}  // namespace

void write_certificate(const std::string& file, const certificate& description) {
  const openssl_ptr<EVP_PKEY, EVP_PKEY_free> key(::EVP_EC_gen("P-256"));
  const openssl_ptr<X509, X509_free> owned_x509(::X509_new());
  X509* const x509 = owned_x509.get();
  ::X509_set_version(x509, X509_VERSION_3);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(x509), 1);
  ::X509_gmtime_adj(::X509_getm_notBefore(x509), -7200);
  ::X509_gmtime_adj(::X509_getm_notAfter(x509), description.valid_seconds);
  ::X509_set_pubkey(x509, key.get());
  ::X509_NAME_add_entry_by_txt(::X509_get_subject_name(x509), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("a test"), -1, -1, 0);
  ::X509_set_issuer_name(x509, ::X509_get_subject_name(x509));
  const openssl_ptr<X509_EXTENSION, X509_EXTENSION_free> names(
      ::X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, description.names.c_str()));
  ::X509_add_ext(x509, names.get(), -1);
  const file_ptr pem(std::fopen((file + ".pem").c_str(), "w"));
  const file_ptr secret(std::fopen((file + ".key").c_str(), "w"));
  if (pem == nullptr || secret == nullptr || ::X509_sign(x509, key.get(), ::EVP_sha256()) == 0 ||
      ::PEM_write_X509(pem.get(), x509) != 1 ||
      ::PEM_write_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    throw std::runtime_error("cannot write the certificate and the key of " + file);
}

}  // namespace leat_test

// What Swift cannot see of OpenSSL: function-like macros, `STACK_OF` accessors, 64-bit option constants and variadic
// functions. Each wrapper does one thing; decisions are made in LinnetTLS.
#ifndef LINNET_OPENSSL_H
#define LINNET_OPENSSL_H
#include <dirent.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

// Errors

/// Writes the reason of a queued error in words: the last part of "error:80000002:system library::No such file or directory".
static inline const char *linnet_error_text(unsigned long code, char *text, size_t capacity) {
  ERR_error_string_n(code, text, capacity);
  const char *colon = strrchr(text, ':');
  return colon == NULL ? text : colon + 1;
}

/// Starts the library without its exit handler: threads of ours may still be inside it when the process ends.
static inline int linnet_start(void) { return OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL); }

// Contexts and connections

/// The options and modes that every context has, for either role.
static inline void linnet_ctx_set_base_options(SSL_CTX *ctx) {
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

/// Both bounds at once; 1 when both were accepted.
static inline int linnet_ctx_set_versions(SSL_CTX *ctx, int minimum, int maximum) {
  return SSL_CTX_set_min_proto_version(ctx, minimum) == 1 && SSL_CTX_set_max_proto_version(ctx, maximum) == 1;
}

/// Whether a cipher suite of this name is among those of the context.
static inline int linnet_ctx_has_cipher(const SSL_CTX *ctx, const char *name) {
  STACK_OF(SSL_CIPHER) *ciphers = SSL_CTX_get_ciphers(ctx);
  for (int index = 0; index < sk_SSL_CIPHER_num(ciphers); index++) {
    if (strcmp(SSL_CIPHER_get_name(sk_SSL_CIPHER_value(ciphers, index)), name) == 0) { return 1; }
  }
  return 0;
}

/// Makes a handshake pause until its certificate callback is called again; 1 when it can (a client's can).
static inline int linnet_ssl_retry_verify(SSL *ssl) { return SSL_set_retry_verify(ssl); }

/// Sessions go to the callback and are kept nowhere else.
static inline void linnet_ctx_set_client_session_mode(SSL_CTX *ctx) {
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

/// A server keeps no sessions either: its tickets carry them.
static inline void linnet_ctx_set_server_session_mode(SSL_CTX *ctx) {
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL);
}

static inline int linnet_ssl_set_host_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

// BIOs

static inline void linnet_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void linnet_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

/// The unread bytes of a memory BIO.
static inline long linnet_bio_memory(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

static inline void linnet_free(void *pointer) { OPENSSL_free(pointer); }

// Stacks

static inline STACK_OF(X509) *linnet_x509_stack_new(void) { return sk_X509_new_null(); }
static inline int linnet_x509_stack_push(STACK_OF(X509) *stack, X509 *cert) { return sk_X509_push(stack, cert); }
static inline X509 *linnet_x509_stack_shift(STACK_OF(X509) *stack) { return sk_X509_shift(stack); }
static inline X509 *linnet_x509_stack_delete(STACK_OF(X509) *stack, int index) { return sk_X509_delete(stack, index); }
static inline int linnet_x509_stack_count(const STACK_OF(X509) *stack) { return stack == NULL ? 0 : sk_X509_num(stack); }
static inline X509 *linnet_x509_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
static inline void linnet_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

// Certificates

/// Seconds since 1970 of an ASN.1 time; 0 for one that cannot be read.
static inline int64_t linnet_asn1_time(const ASN1_TIME *time) {
  struct tm parts;
  if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) { return 0; }
  return (int64_t)timegm(&parts);
}

/// The subject alternative names of a certificate, or NULL. Freed with `linnet_general_names_free`.
static inline GENERAL_NAMES *linnet_general_names(const X509 *cert) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
}
static inline int linnet_general_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline void linnet_general_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

/// The bytes of one DNS name (returns 1) or address (returns 2); 0 for other kinds.
static inline int linnet_general_name_bytes(
    const GENERAL_NAMES *names, int index, const unsigned char **data, int *length) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  const ASN1_STRING *text;
  int kind;
  if (name->type == GEN_DNS) {
    text = name->d.dNSName;
    kind = 1;
  } else if (name->type == GEN_IPADD) {
    text = name->d.iPAddress;
    kind = 2;
  } else {
    return 0;
  }
  *data = ASN1_STRING_get0_data(text);
  *length = ASN1_STRING_length(text);
  return kind;
}

/// The DER form of the public key with its algorithm (SubjectPublicKeyInfo), to be freed with `linnet_free`.
static inline int linnet_x509_public_key_der(const X509 *cert, unsigned char **out) {
  return i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert), out);
}

/// The subject (or issuer) in the form of RFC 2253, written to a memory BIO.
static inline int linnet_x509_print_name(BIO *bio, const X509_NAME *name) {
  return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

static inline EVP_PKEY *linnet_p256_key(void) { return EVP_EC_gen("P-256"); }

static inline int linnet_x509_name_add(X509_NAME *name, const char *field, const unsigned char *text, int length) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, text, length, -1, 0);
}

static inline int linnet_x509_add_extension(X509 *cert, X509 *issuer, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (extension == NULL) { return 0; }
  int added = X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}

/// Verifies the chain of `first` once more, after its store gained certificates, and gives `first` the outcome.
///
/// A store context cannot be used twice, so the second look needs one of its own with the same parameters.
static inline int linnet_verify_again(X509_STORE_CTX *first) {
  X509_STORE_CTX *second = X509_STORE_CTX_new();
  if (second == NULL) { return 0; }
  int result = 0;
  if (X509_STORE_CTX_init(second, X509_STORE_CTX_get0_store(first), X509_STORE_CTX_get0_cert(first),
                          X509_STORE_CTX_get0_untrusted(first)) == 1 &&
      X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(second), X509_STORE_CTX_get0_param(first)) == 1) {
    result = X509_verify_cert(second) == 1;
    X509_STORE_CTX_set_error(first, X509_STORE_CTX_get_error(second));
    X509_STORE_CTX_set_error_depth(first, X509_STORE_CTX_get_error_depth(second));
    if (result) { X509_STORE_CTX_set0_verified_chain(first, X509_STORE_CTX_get1_chain(second)); }
  }
  X509_STORE_CTX_free(second);
  return result;
}

// PKCS #12

/// The parts of a store. `chain` may stay NULL. The caller owns what it gets; 1 on success.
static inline int linnet_pkcs12_parse(
    PKCS12 *store, const char *passphrase, EVP_PKEY **key, X509 **certificate, STACK_OF(X509) **chain) {
  return PKCS12_parse(store, passphrase, key, certificate, chain);
}

// Trust files

enum {
  LINNET_PATH_ABSENT = 0,
  LINNET_PATH_UNREADABLE = 1,
  LINNET_PATH_FILE = 2,
  LINNET_PATH_DIRECTORY = 3,
  LINNET_PATH_HASHED_DIRECTORY = 4,
};

/// Whether a file name is one that OpenSSL looks up by subject hash: eight hexadecimal digits, a dot, a number.
static inline int linnet_is_hashed_name(const char *name) {
  return strspn(name, "0123456789abcdef") == 8 && name[8] == '.' && name[9] >= '0' && name[9] <= '9';
}

/// What lies at a path where trusted certificates may be.
static inline int linnet_path_kind(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) { return LINNET_PATH_ABSENT; }
  if (access(path, R_OK) != 0) { return LINNET_PATH_UNREADABLE; }
  if (!S_ISDIR(status.st_mode)) { return LINNET_PATH_FILE; }
  DIR *directory = opendir(path);
  if (directory == NULL) { return LINNET_PATH_UNREADABLE; }
  int kind = LINNET_PATH_DIRECTORY;
  struct dirent *entry;
  while (kind == LINNET_PATH_DIRECTORY && (entry = readdir(directory)) != NULL) {
    if (linnet_is_hashed_name(entry->d_name)) { kind = LINNET_PATH_HASHED_DIRECTORY; }
  }
  closedir(directory);
  return kind;
}
#endif

// The work that segue-associations does with libcurl and libcrypto: it fetches a file over HTTPS, and opens and makes
// signed ones. Both libraries are variadic or full of macros, which Swift does not import. The functions that need them
// are in segue-associations.so (Sources/CAssociationsWork), which has one table of them.
#ifndef SEGUE_CASSOCIATIONS_H
#define SEGUE_CASSOCIATIONS_H

#include <stddef.h>
#include <stdint.h>

// Swift sees by this word that a function is always there.
#ifdef __clang__
#define SEGUE_CALL _Nonnull
#else
#define SEGUE_CALL
#endif

// Bytes of a reason, with its NUL.
#define SEGUE_REASON_SIZE 512

// The outcome of one request.
enum segue_fetched {
  SEGUE_FETCHED_BODY,           // status and body are the server's
  SEGUE_FETCHED_TOO_LARGE,      // the body was longer than there was room for
  SEGUE_FETCHED_ENCODED_ODDLY,  // the body was not what its Content-Encoding says
  SEGUE_FETCHED_NOTHING,        // no answer of a server that is who it should be
};

struct segue_request {
  const char *url;
  const char *roots;       // a file of certificates to trust; NULL: the system's
  const char *connect_to;  // host:port to connect to, whatever the URL says; NULL: where it says
  long connect_time;       // milliseconds until there is a connection
  long time;               // milliseconds in all
  uint8_t *body;
  size_t room;
  size_t length;  // out: of the body
  long status;    // out: HTTP's
  char reason[SEGUE_REASON_SIZE];
};

// GET, over TLS 1.2 or later, with a verified certificate of that host; without redirects, proxies, cookies and
// accounts.
int segue_fetch(struct segue_request *request);

// The content of a signed file (CMS in DER, RFC 5652), if its one signer has a certificate for that host's TLS server
// which leads to a root. Its length, or -1 with a reason, which is a sentence without its full stop.
long segue_cms_open(
    const uint8_t *der, size_t length, const char *host, const char *roots, uint8_t *content, size_t room,
    char reason[SEGUE_REASON_SIZE]);

// The signed form of a content, by the key and the certificate that belongs to it, with the certificates that lead on
// to a root. All three are PEM. Its length, or -1 with a reason.
long segue_cms_sign(
    const uint8_t *content, size_t length, const char *key, const char *certificate, const char *chain, uint8_t *der,
    size_t room, char reason[SEGUE_REASON_SIZE]);

// What is exported. The number grows when a function or a structure changes.
#define SEGUE_ASSOCIATION_VERSION 1
struct segue_association_calls {
  int version;
  int (*SEGUE_CALL fetch)(struct segue_request *request);
  long (*SEGUE_CALL cms_open)(
      const uint8_t *der, size_t length, const char *host, const char *roots, uint8_t *content, size_t room,
      char reason[SEGUE_REASON_SIZE]);
  long (*SEGUE_CALL cms_sign)(
      const uint8_t *content, size_t length, const char *key, const char *certificate, const char *chain, uint8_t *der,
      size_t room, char reason[SEGUE_REASON_SIZE]);
};

// Confines this process from here on: it gains no privileges, writes no file, and reads only the files that TLS and the
// resolver need, and `roots` unless that is NULL; it has few descriptors and little memory, and ends by itself after
// `seconds`. Without Landlock in the kernel, access to files is not confined, and the result is 0; else 1.
int segue_confine(const char *roots, unsigned seconds);

#endif

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "CAssociations.h"

static int fail(char *reason, const char *what) {
  snprintf(reason, SEGUE_REASON_SIZE, "%s", what);
  ERR_clear_error();
  return 0;
}

// The same, with OpenSSL's error text added.
static int fail_with_error(char *reason, const char *what) {
  char text[256];
  unsigned long error = ERR_peek_error();
  const char *said = error != 0 ? ERR_reason_error_string(error) : NULL;
  snprintf(text, sizeof text, "%s", said != NULL ? said : "no reason is given");
  snprintf(reason, SEGUE_REASON_SIZE, "%s: %s", what, text);
  ERR_clear_error();
  return 0;
}

#define DEPTH 32

// Whether every value in the bytes has a definite length, as DER requires, and no value follows the first.
static int is_definite(const unsigned char *bytes, long length, int depth) {
  const unsigned char *end = bytes + length;
  while (bytes < end) {
    long inside;
    int tag, kind;
    int form = ASN1_get_object(&bytes, &inside, &tag, &kind, end - bytes);
    if ((form & 0x80) != 0 || (form & 1) != 0) return 0;
    if ((form & V_ASN1_CONSTRUCTED) != 0 && (depth >= DEPTH || !is_definite(bytes, inside, depth + 1))) return 0;
    bytes += inside;
  }
  return 1;
}

static int has_indefinite(const unsigned char *bytes, long length, int depth) {
  const unsigned char *end = bytes + length;
  while (bytes < end) {
    long inside;
    int tag, kind;
    int form = ASN1_get_object(&bytes, &inside, &tag, &kind, end - bytes);
    if ((form & 0x80) != 0) return 0;
    if ((form & 1) != 0) return 1;
    if ((form & V_ASN1_CONSTRUCTED) != 0 && depth < DEPTH && has_indefinite(bytes, inside, depth + 1)) return 1;
    bytes += inside;
  }
  return 0;
}

static int is_strong(CMS_SignerInfo *signer) {
  X509_ALGOR *digest = NULL;
  CMS_SignerInfo_get0_algs(signer, NULL, NULL, &digest, NULL);
  const ASN1_OBJECT *algorithm = NULL;
  X509_ALGOR_get0(&algorithm, NULL, NULL, digest);
  switch (OBJ_obj2nid(algorithm)) {
    case NID_sha256:
    case NID_sha384:
    case NID_sha512: return 1;
    default: return 0;
  }
}

// Whether the certificate is valid for that host's TLS server now, and leads to a root.
static int is_trusted(X509 *certificate, STACK_OF(X509) * chain, const char *host, const char *roots, char *reason) {
  int good = 0;
  X509_STORE *store = X509_STORE_new();
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  X509_VERIFY_PARAM *rules = NULL;
  if (store == NULL || context == NULL) {
    fail(reason, "there is no memory");
    goto done;
  }
  int loaded = roots != NULL ? X509_STORE_load_file(store, roots) : X509_STORE_set_default_paths(store);
  if (loaded != 1 || X509_STORE_CTX_init(context, store, certificate, chain) != 1) {
    fail_with_error(reason, "the roots cannot be read");
    goto done;
  }
  rules = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set_auth_level(rules, 2);
  if (X509_VERIFY_PARAM_set1_host(rules, host, 0) != 1 ||
      X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_SERVER) != 1) {
    fail_with_error(reason, "the signer's certificate cannot be judged");
    goto done;
  }
  good = X509_verify_cert(context) == 1;
  if (!good) {
    snprintf(
        reason, SEGUE_REASON_SIZE, "the signer's certificate is not good for %s: %s", host,
        X509_verify_cert_error_string(X509_STORE_CTX_get_error(context)));
    ERR_clear_error();
  }
done:
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return good;
}

// Whether the key usage allows signing, as the server does in TLS 1.3, and in 1.2 with an ephemeral key exchange.
static int may_sign(X509 *certificate) {
  return (X509_get_extension_flags(certificate) & EXFLAG_KUSAGE) == 0 ||
         (X509_get_key_usage(certificate) & KU_DIGITAL_SIGNATURE) != 0;
}

static int check(CMS_ContentInfo *cms, const char *host, const char *roots, BIO *content, char *reason) {
  if (OBJ_obj2nid(CMS_get0_type(cms)) != NID_pkcs7_signed) return fail(reason, "it is CMS, and not signed data");
  if (OBJ_obj2nid(CMS_get0_eContentType(cms)) != NID_pkcs7_data) {
    return fail(reason, "what is signed is not of the content type data");
  }
  ASN1_OCTET_STRING **inside = CMS_get0_content(cms);
  if (inside == NULL || *inside == NULL) return fail(reason, "the signature is detached: the content is not in it");
  STACK_OF(CMS_SignerInfo) *signers = CMS_get0_SignerInfos(cms);
  int count = signers == NULL ? 0 : sk_CMS_SignerInfo_num(signers);
  if (count != 1) {
    snprintf(reason, SEGUE_REASON_SIZE, "it has %d signers, and should have one", count);
    return 0;
  }
  if (!is_strong(sk_CMS_SignerInfo_value(signers, 0))) {
    return fail(reason, "its digest is not SHA-256, SHA-384 or SHA-512");
  }
  // The signer's certificate is checked below, by the rules for TLS instead of those for e-mail.
  if (CMS_verify(cms, NULL, NULL, NULL, content, CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY) != 1) {
    return fail_with_error(reason, "the signature does not fit");
  }
  int good = 0;
  STACK_OF(X509) *found = CMS_get0_signers(cms);
  STACK_OF(X509) *chain = CMS_get1_certs(cms);
  if (found == NULL || sk_X509_num(found) != 1) {
    fail(reason, "the signer's certificate is not in it");
  } else if (!may_sign(sk_X509_value(found, 0))) {
    fail(reason, "the signer's certificate is not for signing");
  } else {
    good = is_trusted(sk_X509_value(found, 0), chain, host, roots, reason);
  }
  sk_X509_free(found);
  sk_X509_pop_free(chain, X509_free);
  return good;
}

long segue_cms_open(
    const uint8_t *der, size_t length, const char *host, const char *roots, uint8_t *content, size_t room,
    char reason[SEGUE_REASON_SIZE]) {
  long result = -1;
  if (length > 0x7fffffff || !is_definite(der, (long)length, 0)) {
    fail(
        reason, length <= 0x7fffffff && has_indefinite(der, (long)length, 0)
                    ? "it is BER of indefinite length, and should be DER"
                    : "it is neither JSON nor DER");
    return -1;
  }
  const unsigned char *place = der;
  CMS_ContentInfo *cms = d2i_CMS_ContentInfo(NULL, &place, (long)length);
  BIO *out = BIO_new(BIO_s_mem());
  if (cms == NULL || out == NULL) {
    fail_with_error(reason, "it is no CMS");
  } else if (place != der + length) {
    fail(reason, "something follows the signed data");
  } else if (check(cms, host, roots, out, reason)) {
    char *bytes = NULL;
    long count = BIO_get_mem_data(out, &bytes);
    if (count < 0 || (size_t)count > room) {
      fail(reason, "its content is too long");
    } else {
      if (count > 0) memcpy(content, bytes, (size_t)count);
      result = count;
    }
  }
  BIO_free(out);
  CMS_ContentInfo_free(cms);
  return result;
}

static X509 *read_certificate(const char *path, char *reason) {
  BIO *file = BIO_new_file(path, "r");
  X509 *certificate = file == NULL ? NULL : PEM_read_bio_X509(file, NULL, NULL, NULL);
  BIO_free(file);
  if (certificate == NULL) fail_with_error(reason, "the certificate cannot be read");
  return certificate;
}

// The certificates of a file, NULL where there is none that can be read.
static STACK_OF(X509) * read_chain(const char *path, char *reason) {
  STACK_OF(X509) *chain = sk_X509_new_null();
  if (path == NULL || chain == NULL) return chain;
  BIO *file = BIO_new_file(path, "r");
  X509 *next;
  while (file != NULL && (next = PEM_read_bio_X509(file, NULL, NULL, NULL)) != NULL) sk_X509_push(chain, next);
  BIO_free(file);
  if (sk_X509_num(chain) == 0) {
    sk_X509_free(chain);
    fail_with_error(reason, "the chain cannot be read");
    return NULL;
  }
  ERR_clear_error();
  return chain;
}

// Refuses a passphrase instead of asking for one: it would have to be read from a terminal.
static int no_passphrase(char *buffer, int size, int writing, void *context) {
  (void)buffer, (void)size, (void)writing, (void)context;
  return -1;
}

long segue_cms_sign(
    const uint8_t *content, size_t length, const char *key, const char *certificate, const char *chain, uint8_t *der,
    size_t room, char reason[SEGUE_REASON_SIZE]) {
  long result = -1;
  reason[0] = 0;
  BIO *file = BIO_new_file(key, "r");
  EVP_PKEY *secret = file == NULL ? NULL : PEM_read_bio_PrivateKey(file, NULL, no_passphrase, NULL);
  BIO_free(file);
  X509 *signer = NULL;
  STACK_OF(X509) *others = NULL;
  BIO *in = BIO_new_mem_buf(content, (int)length);
  CMS_ContentInfo *cms = NULL;
  if (secret == NULL) {
    fail_with_error(reason, "the key cannot be read");
  } else if ((signer = read_certificate(certificate, reason)) != NULL && (others = read_chain(chain, reason)) != NULL) {
    // The signature has no signed attributes, as the published recipe has it.
    unsigned int flags = CMS_BINARY | CMS_NOSMIMECAP | CMS_NOATTR | CMS_PARTIAL;
    cms = CMS_sign(NULL, NULL, others, in, flags);
    if (cms == NULL || CMS_add1_signer(cms, signer, secret, EVP_sha256(), flags) == NULL ||
        CMS_final(cms, in, NULL, flags) != 1) {
      fail_with_error(reason, "it cannot be signed");
    } else {
      int size = i2d_CMS_ContentInfo(cms, NULL);
      if (size < 0 || (size_t)size > room) {
        fail(reason, "the signed file is too long");
      } else {
        unsigned char *place = der;
        result = i2d_CMS_ContentInfo(cms, &place);
      }
    }
  }
  CMS_ContentInfo_free(cms);
  BIO_free(in);
  sk_X509_pop_free(others, X509_free);
  X509_free(signer);
  EVP_PKEY_free(secret);
  return result;
}

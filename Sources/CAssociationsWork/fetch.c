#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "CAssociations.h"

struct transfer {
  struct segue_request *request;
  int is_full;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  struct segue_request *request = transfer->request;
  size_t length = size * count;
  // The bytes are decompressed ones: a bomb ends here, however small it is on the wire.
  if (length > request->room - request->length) {
    transfer->is_full = 1;
    return CURL_WRITEFUNC_ERROR;
  }
  memcpy(request->body + request->length, bytes, length);
  request->length += length;
  return length;
}

static CURLcode set(CURL *curl, struct transfer *transfer, struct curl_slist *there) {
  struct segue_request *request = transfer->request;
  CURLcode code = CURLE_OK;
#define SET(option, value)                                              \
  do {                                                                  \
    if (code == CURLE_OK) code = curl_easy_setopt(curl, option, value); \
  } while (0)
  SET(CURLOPT_URL, request->url);
  SET(CURLOPT_PROTOCOLS_STR, "https");
  SET(CURLOPT_REDIR_PROTOCOLS_STR, "https");
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  SET(CURLOPT_PROXY, "");
  SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  SET(CURLOPT_SSL_VERIFYPEER, 1L);
  SET(CURLOPT_SSL_VERIFYHOST, 2L);
  if (request->roots != NULL) {
    SET(CURLOPT_CAINFO, request->roots);
    SET(CURLOPT_CAPATH, NULL);
  }
  if (there != NULL) SET(CURLOPT_CONNECT_TO, there);
  SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_time);
  SET(CURLOPT_TIMEOUT_MS, request->time);
  SET(CURLOPT_ACCEPT_ENCODING, "");
  SET(CURLOPT_USERAGENT, "segue-associations");
  SET(CURLOPT_WRITEFUNCTION, take);
  SET(CURLOPT_WRITEDATA, transfer);
  SET(CURLOPT_ERRORBUFFER, request->reason);
#undef SET
  return code;
}

int segue_fetch(struct segue_request *request) {
  request->length = 0;
  request->status = 0;
  request->reason[0] = 0;
  struct transfer transfer = {request, 0};
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURL *curl = curl_easy_init();
  struct curl_slist *there = NULL;
  CURLcode code = CURLE_FAILED_INIT;
  if (curl != NULL) {
    if (request->connect_to != NULL) {
      char entry[SEGUE_REASON_SIZE];
      snprintf(entry, sizeof entry, "::%s", request->connect_to);
      there = curl_slist_append(NULL, entry);
    }
    code = set(curl, &transfer, there);
    if (code == CURLE_OK) code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &request->status);
  }
  curl_slist_free_all(there);
  curl_easy_cleanup(curl);
  if (code == CURLE_OK) return SEGUE_FETCHED_BODY;
  if (code == CURLE_WRITE_ERROR && transfer.is_full) return SEGUE_FETCHED_TOO_LARGE;
  if (code == CURLE_BAD_CONTENT_ENCODING) return SEGUE_FETCHED_ENCODED_ODDLY;
  // CURLOPT_ERRORBUFFER's text says more than the code's, where there is one.
  if (request->reason[0] == 0) snprintf(request->reason, sizeof request->reason, "%s", curl_easy_strerror(code));
  return SEGUE_FETCHED_NOTHING;
}

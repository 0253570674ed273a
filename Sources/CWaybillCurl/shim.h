// libcurl 7.88.
#ifndef WAYBILL_CCURL_SHIM_H
#define WAYBILL_CCURL_SHIM_H

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

// `curl_easy_setopt` and `curl_easy_getinfo` are variadic, which Swift cannot call: one function for each kind of value.

static inline CURLcode wb_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode wb_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode wb_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode wb_curl_set_writer(CURL *handle, curl_write_callback writer, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline CURLcode wb_curl_set_reader(CURL *handle, curl_read_callback reader, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

static inline CURLcode wb_curl_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

// The answer's Content-Type, which lives as long as the handle; NULL for an answer without one.
static inline const char *wb_curl_content_type(CURL *handle) {
    char *type = NULL;
    return curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK ? type : NULL;
}

static inline CURLcode wb_curl_set_opener(CURL *handle, curl_opensocket_callback opener, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

// The address alone, without port and zone; NULL for another family.
static inline const char *wb_curl_address_text(const struct curl_sockaddr *address, char *text, socklen_t size) {
    const void *start = &address->addr;
    switch (address->family) {
    case AF_INET:
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)start)->sin_addr, text, size);
    case AF_INET6:
        return inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)start)->sin6_addr, text, size);
    default:
        return NULL;
    }
}

static inline CURLcode wb_curl_retry_after(CURL *handle, curl_off_t *seconds) {
    return curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, seconds);
}

// The next transfer that has ended; NULL when there is none.
static inline CURL *wb_curl_ended(CURLM *multi, CURLcode *code) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

#endif

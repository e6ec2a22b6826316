// Implements faulty_proxy: passes requests and responses on, and makes the planned faults.
#include "remote/faulty_proxy.hpp"

#include <sys/socket.h>

#include <chrono>
#include <string_view>
#include <thread>

namespace leat_test {

namespace {

using fault = connection_fault;

/// Appends a chunked body to `chunks` as received, with the size of each chunk. Returns false at
/// the end of the connection or on an error. Ceph sends lists in chunks. The XML of a list does not
/// contain "\r\n0\r\n\r\n", which ends the body.
bool receive_chunks(int from, std::string& chunks) {
  char byte = 0;
  while (!chunks.ends_with("\r\n0\r\n\r\n")) {
    if (::recv(from, &byte, 1, 0) != 1) return false;
    chunks += byte;
  }
  return true;
}

bool is_closed(int descriptor) {
  char byte;
  return ::recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/// Makes the end of the connection a reset (RST).
void reset_at_close(int descriptor) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

std::string make_response(const char* status, std::string_view body) {
  return std::string("HTTP/1.1 ") + status + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

std::string error_page(const char* status, const char* code) {
  return make_response(
      status, std::string("<Error><Code>") + code + "</Code><Message>as planned</Message></Error>");
}

}  // namespace

void faulty_proxy::set_fault(connection_fault fault, int request, bool persists) {
  const std::scoped_lock lock(lock_);
  fault_ = fault;
  fault_request_ = request;
  persists_ = persists;
  requests_ = faults_made_ = 0;
}

void faulty_proxy::serve(int client) {
  const int server = acceptor_.connect(server_);
  if (server < 0) return;
  for (;;) {
    std::string head, body;
    if (!receive_head(client, head) || !receive_to(client, body, content_length(head))) break;
    if (!forward_exchange(client, server, head, body)) break;
  }
  acceptor_.close(server);
}

/// Answers one request: with the server's response, or with the planned fault. Returns false if the
/// connection must end.
bool faulty_proxy::forward_exchange(int client, int server, const std::string& head,
                                    const std::string& body) {
  fault now = fault::none;
  {
    const std::scoped_lock lock(lock_);
    const int number = requests_++;
    if (fault_ != fault::none &&
        (number == fault_request_ || (persists_ && number > fault_request_)))
      now = fault_;
    if (now != fault::none) ++faults_made_;
  }
  switch (now) {
    case fault::refused:
      return false;
    case fault::status_500:
      return send_all(client, error_page("500 Internal Server Error", "InternalError"));
    case fault::status_503:
      return send_all(client, error_page("503 Slow Down", "SlowDown"));
    case fault::status_403:
      return send_all(client, error_page("403 Forbidden", "AccessDenied"));
    case fault::status_412:
      return send_all(client, error_page("412 Precondition Failed", "PreconditionFailed"));
    case fault::status_416:
      return send_all(client, error_page("416 Range Not Satisfiable", "InvalidRange"));
    case fault::garbage:
      send_all(client, "What do you want?\r\n\r\n");
      return false;
    case fault::garbage_xml:
      return send_all(client, make_response("200 OK", "<<<"));
    case fault::error_in_success:
      return send_all(client, error_page("200 OK", "InternalError"));
    default:
      break;
  }
  if (now == fault::silence || now == fault::drip) {
    if (now == fault::drip) send_all(client, "HTTP/1.1 206 Partial Content\r\nX: ");
    while (now == fault::silence ? !acceptor_.is_stopping() && !is_closed(client)
                                 : send_all(client, "x"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return false;
  }
  std::string request = head;
  if (const std::size_t range = header_value_position(request, "range");
      range != request.npos && now == fault::whole_body)
    request.erase(range - 6, request.find("\r\n", range) - range + 6);
  if (!send_all(server, request) || !send_all(server, body)) return false;
  std::string response, bytes;
  if (!receive_head(server, response)) return false;
  if (now == fault::reset_in_head) {
    send_all(client, std::string_view(response).substr(0, response.size() / 2));
    reset_at_close(client);
    return false;
  }
  if (now == fault::no_condition && response.starts_with("HTTP/1.1 412 ")) {
    send_all(client, "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 0\r\n\r\n");
    return false;  // the server's connection still holds the rest of its response
  }
  if (now == fault::wrong_range) {
    if (const std::size_t range = header_value_position(response, "content-range");
        range != response.npos)
      response.replace(response.find("bytes ", range), 6, "bytes 1");
  }
  const bool has_body = !head.starts_with("HEAD ") && !response.starts_with("HTTP/1.1 204");
  const bool has_chunks =
      has_body && header_value_position(response, "transfer-encoding") != response.npos;
  if (has_chunks && !receive_chunks(server, bytes)) return false;
  const std::size_t size = has_chunks ? bytes.size() : has_body ? content_length(response) : 0;
  if (!send_all(client, response)) return false;
  const std::size_t sent =
      now == fault::reset_in_body || now == fault::closed_in_body ? size / 2 : size;
  if (!receive_to(server, bytes, sent) ||
      !send_all(client, std::string_view(bytes).substr(0, sent)))
    return false;
  if (sent == size) return now != fault::reset_in_body && now != fault::closed_in_body;
  if (now == fault::reset_in_body) reset_at_close(client);
  return false;
}

}  // namespace leat_test

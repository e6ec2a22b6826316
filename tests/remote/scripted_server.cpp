// Implements scripted_server: sends the responses of its script, also in small packets.
#include "remote/scripted_server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string_view>

namespace leat_test {

void scripted_server::serve(int client) {
  const int no_delay = 1;  // each piece becomes a packet
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  for (;;) {
    std::string head, body;
    if (!receive_head(client, head) || !receive_to(client, body, content_length(head))) return;
    {
      const std::scoped_lock lock(lock_);
      requests_.push_back(head);
    }
    const response answer = script_(head);
    std::string_view bytes = answer.bytes;
    while (!bytes.empty()) {
      const std::string_view piece =
          bytes.substr(0, answer.piece == 0 ? bytes.size() : answer.piece);
      if (!send_all(client, piece)) return;
      bytes.remove_prefix(piece.size());
    }
    if (answer.closes) return;
  }
}

}  // namespace leat_test

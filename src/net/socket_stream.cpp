#include "net/socket_stream.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "net/asio_loop.h"

namespace harn::net {

namespace asio = boost::asio;
using Step = TlsSession::Step;

// How long the other side may take to end a connection that we have ended.
static constexpr std::chrono::seconds kEndTime(1);

SocketStream::State::State(asio::ip::tcp::socket connected) : context(io_context()), socket(std::move(connected)) {}

// Never from within the call that asked.
void SocketStream::State::later(Moved done, Error error, size_t count) {
  asio::post(context, [done = std::move(done), error, count]() mutable { done(error, count); });
}

void SocketStream::State::flush() {
  if (is_sending || send_error) return;
  sending = tls->take_output();
  if (sending.empty()) {
    std::vector<Done> told;
    told.swap(sent);
    for (Done& done : told) done({});
    return;
  }
  is_sending = true;
  asio::async_write(socket, asio::buffer(sending), [self = shared_from_this()](Error error, size_t) {
    self->is_sending = false;
    self->send_error = error;
    if (!error) return self->flush();
    std::vector<Done> told;
    told.swap(self->sent);
    for (Done& done : told) done(error);
  });
}

void SocketStream::State::read_raw(Done done) {
  raw.resize(16 * 1024);
  socket.async_read_some(asio::buffer(raw),
                         [self = shared_from_this(), done = std::move(done)](Error error, size_t count) mutable {
                           if (!error) self->tls->feed({self->raw.data(), count});
                           done(error);
                         });
}

void SocketStream::State::handshake(Done done) {
  Step step = tls->handshake();
  flush();
  switch (step) {
    case Step::Done: return later([done = std::move(done)](Error error, size_t) mutable { done(error); }, {}, 0);
    case Step::NeedsInput:
      return read_raw([self = shared_from_this(), done = std::move(done)](Error error) mutable {
        error ? done(error) : self->handshake(std::move(done));
      });
    case Step::End:
    case Step::Failed: break;
  }
  later([done = std::move(done)](Error error, size_t) mutable { done(error); }, asio::error::connection_refused, 0);
}

void SocketStream::State::read(asio::mutable_buffer to, Moved done) {
  size_t got = 0;
  Step step = to.size() == 0 ? Step::Done : tls->read(to.data(), to.size(), got);
  flush();
  switch (step) {
    case Step::Done: return later(std::move(done), {}, got);
    case Step::End: return later(std::move(done), asio::error::eof, 0);
    case Step::Failed: return later(std::move(done), asio::error::connection_reset, 0);
    case Step::NeedsInput: break;
  }
  read_raw([self = shared_from_this(), to, done = std::move(done)](Error error) mutable {
    error ? done(error, 0) : self->read(to, std::move(done));
  });
}

void SocketStream::State::write(const std::vector<asio::const_buffer>& parts, Moved done) {
  size_t taken = 0;
  for (const asio::const_buffer& part : parts) {
    Step step = tls->write({static_cast<const char*>(part.data()), part.size()});
    if (step != Step::Done) return later(std::move(done), asio::error::connection_reset, 0);
    taken += part.size();
  }
  if (send_error) return later(std::move(done), send_error, 0);
  sent.push_back([self = shared_from_this(), done = std::move(done), taken](Error error) mutable {
    self->later(std::move(done), error, error ? 0 : taken);
  });
  flush();
}

void SocketStream::State::end(Done done) {
  if (!tls || send_error) return wait_for_end(std::move(done));
  tls->end();
  sent.push_back(
      [self = shared_from_this(), done = std::move(done)](Error) mutable { self->wait_for_end(std::move(done)); });
  flush();
}

// A socket that is closed with something unread takes back what it has sent.
void SocketStream::State::wait_for_end(Done done) {
  Error ignored;
  socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  struct Wait {
    explicit Wait(asio::io_context& context) : timer(context) {}
    asio::steady_timer timer;
    Done done;
    char dropped[4096];
  };
  auto wait = std::make_shared<Wait>(context);
  wait->done = std::move(done);
  wait->timer.expires_after(kEndTime);
  wait->timer.async_wait([self = shared_from_this(), wait](Error error) {
    if (!error) self->close();
  });
  auto drop = [self = shared_from_this(), wait](auto again) -> void {
    self->socket.async_read_some(asio::buffer(wait->dropped), [self, wait, again](Error error, size_t) {
      if (!error) return again(again);
      wait->timer.cancel();
      self->close();
      wait->done({});
    });
  };
  drop(drop);
}

void SocketStream::State::close() {
  Error ignored;
  socket.close(ignored);
}

void teardown(boost::beast::role_type, SocketStream& stream, boost::system::error_code& error) {
  stream.close();
  error = {};
}

void beast_close_socket(SocketStream& stream) { stream.close(); }

}  // namespace harn::net

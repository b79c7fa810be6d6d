#pragma once

#include <boost/asio/io_context.hpp>

// Inside src/net only: what the I/O thread runs, for those that use Asio themselves. Starts the thread, as `post` does.
namespace harn::net {

boost::asio::io_context& io_context();

}  // namespace harn::net

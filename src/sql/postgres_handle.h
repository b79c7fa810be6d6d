#pragma once

#include "sql/libpq.h"
#include "sql/postgres.h"

// Inside src/sql only: what a connection is to libpq.
namespace harn::sql {

struct PgConnection::Handle {
  const LibPq& pq;
  PGconn* connection;
  ~Handle() { pq.PQfinish(connection); }
};

// The first line of what libpq says, without its ends.
std::string plain_message(const char* text);

}  // namespace harn::sql

#pragma once

#include <libpq-fe.h>

#include <string>

// Inside src/sql only: libpq, loaded by its first user, on any thread.
namespace harn::sql {

#define HARN_LIBPQ_FUNCTIONS(X) \
  X(PQconninfoParse)            \
  X(PQconninfoFree)             \
  X(PQfreemem)                  \
  X(PQconnectStartParams)       \
  X(PQconnectPoll)              \
  X(PQstatus)                   \
  X(PQtransactionStatus)        \
  X(PQconnectionNeedsPassword)  \
  X(PQsocket)                   \
  X(PQerrorMessage)             \
  X(PQfinish)                   \
  X(PQsetNoticeProcessor)       \
  X(PQsetnonblocking)           \
  X(PQsendPrepare)              \
  X(PQsendQueryParams)          \
  X(PQsendQueryPrepared)        \
  X(PQsetSingleRowMode)         \
  X(PQflush)                    \
  X(PQconsumeInput)             \
  X(PQisBusy)                   \
  X(PQgetResult)                \
  X(PQclear)                    \
  X(PQresultStatus)             \
  X(PQresultErrorField)         \
  X(PQresultErrorMessage)       \
  X(PQnfields)                  \
  X(PQntuples)                  \
  X(PQfname)                    \
  X(PQftype)                    \
  X(PQgetisnull)                \
  X(PQgetvalue)                 \
  X(PQgetlength)                \
  X(PQcmdTuples)                \
  X(PQunescapeBytea)            \
  X(PQgetCancel)                \
  X(PQcancel)                   \
  X(PQfreeCancel)

struct LibPq {
#define HARN_LIBPQ_MEMBER(name) decltype(&::name) name;
  HARN_LIBPQ_FUNCTIONS(HARN_LIBPQ_MEMBER)
#undef HARN_LIBPQ_MEMBER
  std::string why;  // it is not there; empty: it is

  static const LibPq& get();
};

}  // namespace harn::sql

// Zip: entries one after the other, each with a header, and behind them a directory that says again what and where they are.
// The directory is found from the end. It is what counts: the headers of entries that were written to a stream have no sizes.
// Numbers that have no room in 16 or 32 bits are all ones there, and stand in a further field or at a further end (Zip64).
#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "compress/archive.h"

namespace harn::compress {

namespace {

constexpr uint32_t kEntryMark = 0x04034b50, kDirectoryMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr uint32_t kLargeEndMark = 0x06064b50, kLocatorMark = 0x07064b50;
constexpr size_t kEntrySize = 30, kDirectorySize = 46, kEndSize = 22, kLargeEndSize = 56, kLocatorSize = 20;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kEncrypted = 1, kUtf8 = 1 << 11;
constexpr uint16_t kVersion = 20, kLargeVersion = 45;
constexpr uint16_t kLargeField = 1;         // of what an entry has besides
constexpr uint16_t kFirstDay = 1 << 5 | 1;  // 1980-01-01, the earliest date there is
constexpr int kLevel = 6;
constexpr uint32_t kElsewhere = 0xFFFFFFFF, kCountElsewhere = 0xFFFF;
// No value has more bytes than this, so that of an archive we make only the count may be large.
constexpr size_t kMostBytes = 0xFFFFFF00 - kEndSize - kLargeEndSize - kLocatorSize;

// ---- writing ----

void put16(std::string& out, uint32_t number) { out += {static_cast<char>(number), static_cast<char>(number >> 8)}; }
void put32(std::string& out, uint32_t number) {
  put16(out, number & 0xFFFF);
  put16(out, number >> 16);
}

void put64(std::string& out, uint64_t number) {
  put32(out, static_cast<uint32_t>(number));
  put32(out, static_cast<uint32_t>(number >> 32));
}

// What both headers of an entry have in common.
void put_facts(std::string& out, const Entry& entry, uint32_t sum, uint16_t method, size_t packed) {
  put16(out, kVersion);
  put16(out, kUtf8);
  put16(out, method);
  put16(out, 0);  // time
  put16(out, kFirstDay);
  put32(out, sum);
  put32(out, static_cast<uint32_t>(packed));
  put32(out, static_cast<uint32_t>(entry.content.size()));
  put16(out, static_cast<uint32_t>(entry.path.size()));
  put16(out, 0);  // no extra fields
}

Result<void> check_entry(const Entry& entry) {
  HARN_CHECK(check_entry_path(entry.path));
  if (entry.path.size() > 0xFFFF) return fail(ErrorKind::Limit, "a path has more than 65535 bytes");
  return {};
}

class Writer {
 public:
  Result<void> add(const Entry& entry, const Progress& progress) {
    HARN_CHECK(check_entry(entry));
    uint32_t sum = HARN_TRY(crc32(entry.content, progress));
    // What would grow is stored as it is; of a few bytes that is known beforehand.
    constexpr size_t kLeast = 16;
    std::string packed = entry.content.size() < kLeast ? "" : HARN_TRY(deflate(entry.content, kLevel));
    bool is_smaller = entry.content.size() >= kLeast && packed.size() < entry.content.size();
    std::string_view content = is_smaller ? std::string_view(packed) : std::string_view(entry.content);
    uint16_t method = is_smaller ? kDeflated : kStored;
    put32(directory_, kDirectoryMark);
    put16(directory_, 3 << 8 | kVersion);  // Unix
    put_facts(directory_, entry, sum, method, content.size());
    directory_.append(6, '\0');         // comment, disk, internal attributes
    put32(directory_, 0100644u << 16);  // a plain file
    put32(directory_, static_cast<uint32_t>(out_.size()));
    directory_ += entry.path;
    put32(out_, kEntryMark);
    put_facts(out_, entry, sum, method, content.size());
    out_ += entry.path;
    out_ += content;
    ++count_;
    if (out_.size() + directory_.size() <= kMostBytes) return {};
    return fail(ErrorKind::Limit, "the archive would have more than 4 GiB");
  }

  std::string finish() {
    size_t start = out_.size();
    out_ += directory_;
    if (count_ >= kCountElsewhere) put_large_end(start);
    uint32_t count = static_cast<uint32_t>(std::min<uint64_t>(count_, kCountElsewhere));
    put32(out_, kEndMark);
    put32(out_, 0);  // disks
    put16(out_, count);
    put16(out_, count);
    put32(out_, static_cast<uint32_t>(directory_.size()));
    put32(out_, static_cast<uint32_t>(start));
    put16(out_, 0);  // no comment
    return std::move(out_);
  }

 private:
  void put_large_end(size_t start) {
    size_t here = out_.size();
    put32(out_, kLargeEndMark);
    put64(out_, kLargeEndSize - 12);  // what follows
    put16(out_, kLargeVersion);
    put16(out_, kLargeVersion);
    put64(out_, 0);  // disks
    put64(out_, count_);
    put64(out_, count_);
    put64(out_, directory_.size());
    put64(out_, start);
    put32(out_, kLocatorMark);
    put32(out_, 0);  // disk
    put64(out_, here);
    put32(out_, 1);  // disks
  }

  std::string out_, directory_;
  uint64_t count_ = 0;
};

// ---- reading ----

class Reader {
 public:
  Reader(std::string_view bytes, const Allowance& allowed, const Progress& progress)
      : bytes_(bytes), allowed_(allowed), progress_(progress) {}

  Result<std::vector<Entry>> read() {
    HARN_CHECK(find_directory());
    for (uint64_t i = 0; i < count_; ++i) HARN_CHECK(read_fact());
    HARN_CHECK(check_sizes());
    std::vector<Entry> entries;
    for (const Fact& fact : facts_) {
      if (fact.path.ends_with('/')) continue;
      std::string content = HARN_TRY(content_of(fact));
      entries.push_back({.path = text::to_valid_utf8(fact.path), .content = std::move(content)});
    }
    return entries;
  }

 private:
  // What the directory says of an entry.
  struct Fact {
    std::string_view path;
    uint16_t flags, method;
    uint32_t sum;
    uint64_t packed, size, start;
  };

  uint16_t get16(size_t at) const {
    return static_cast<uint16_t>(static_cast<uint8_t>(bytes_[at]) | static_cast<uint8_t>(bytes_[at + 1]) << 8);
  }
  uint32_t get32(size_t at) const { return get16(at) | uint32_t{get16(at + 2)} << 16; }
  uint64_t get64(size_t at) const { return get32(at) | uint64_t{get32(at + 4)} << 32; }
  bool has(size_t at, size_t size) const { return at <= bytes_.size() && size <= bytes_.size() - at; }

  // Behind the end there may be a comment of 65535 bytes.
  Result<void> find_directory() {
    if (bytes_.size() < kEndSize) return no_archive("zip");
    size_t last = bytes_.size() - kEndSize, first = last - std::min<size_t>(last, 0xFFFF);
    for (size_t at = last + 1; at-- > first;) {
      if (get32(at) != kEndMark || get16(at + 20) != bytes_.size() - at - kEndSize) continue;
      count_ = get16(at + 10);
      at_ = get32(at + 16);
      if (get16(at + 4) != 0 || get16(at + 8) != count_) return in_parts();
      bool may_be_large = count_ == kCountElsewhere || at_ == kElsewhere || get32(at + 12) == kElsewhere;
      return may_be_large ? find_large_directory(at) : Result<void>();
    }
    return no_archive("zip");
  }

  // Before the end, if there is one: the numbers may be what they look like.
  Result<void> find_large_directory(size_t end) {
    if (end < kLocatorSize || get32(end - kLocatorSize) != kLocatorMark) return {};
    uint64_t at = get64(end - kLocatorSize + 8);
    if (!has(at, kLargeEndSize) || get32(at) != kLargeEndMark) return damaged("its directory cannot be found");
    if (get32(at + 16) != 0 || get64(at + 24) != get64(at + 32)) return in_parts();
    count_ = get64(at + 32);
    at_ = get64(at + 48);
    return {};
  }

  static std::unexpected<Error> in_parts() {
    return fail(ErrorKind::Unsupported, "an archive in several parts is not supported");
  }

  Result<void> read_fact() {
    progress_(kDirectorySize);
    if (!has(at_, kDirectorySize)) return ends_early();
    if (get32(at_) != kDirectoryMark) return damaged("its directory cannot be read");
    size_t path = get16(at_ + 28), extra = get16(at_ + 30), comment = get16(at_ + 32);
    if (!has(at_ + kDirectorySize, path + extra + comment)) return ends_early();
    Fact fact{.path = bytes_.substr(at_ + kDirectorySize, path),
              .flags = get16(at_ + 8),
              .method = get16(at_ + 10),
              .sum = get32(at_ + 16),
              .packed = get32(at_ + 20),
              .size = get32(at_ + 24),
              .start = get32(at_ + 42)};
    HARN_CHECK(read_large(fact, at_ + kDirectorySize + path, extra));
    HARN_CHECK(check(fact, get32(at_ + 38)));
    facts_.push_back(fact);
    at_ += kDirectorySize + path + extra + comment;
    return {};
  }

  // The numbers of an entry that are elsewhere: in one of the fields that it has besides.
  Result<void> read_large(Fact& fact, size_t at, size_t size) const {
    uint64_t* missing[3];
    size_t count = 0;
    for (uint64_t* number : {&fact.size, &fact.packed, &fact.start}) {
      if (*number == kElsewhere) missing[count++] = number;
    }
    for (size_t end = at + size; count > 0 && end - at >= 4;) {
      size_t field = get16(at + 2);
      if (field > end - at - 4) break;
      if (get16(at) == kLargeField) {
        if (field < 8 * count) return damaged("a size is missing");
        for (size_t i = 0; i < count; ++i) *missing[i] = get64(at + 4 + 8 * i);
        return {};
      }
      at += 4 + field;
    }
    return {};
  }

  static Result<void> check(const Fact& fact, uint32_t attributes) {
    HARN_CHECK(check_entry_path(fact.path));
    constexpr uint32_t kTypeOfFile = 0170000, kFolder = 0040000, kPlain = 0100000;
    // Archives that were not made on Unix say nothing about the type.
    uint32_t type = attributes >> 16 & kTypeOfFile;
    auto shown = text::to_valid_utf8(fact.path);
    if (type != 0 && type != kFolder && type != kPlain) {
      return fail(ErrorKind::Denied, fmt::format("`{}` is a link or a device", shown));
    }
    if (fact.flags & kEncrypted) return fail(ErrorKind::Unsupported, fmt::format("`{}` is encrypted", shown));
    if (fact.method == kStored || fact.method == kDeflated) return {};
    return fail(ErrorKind::Unsupported,
                fmt::format("`{}` is packed by method {}, and only deflate is supported", shown, fact.method));
  }

  // Many entries may name the same few bytes.
  Result<void> check_sizes() const {
    uint64_t left = allowed_.most;
    for (const Fact& fact : facts_) {
      if (fact.size > left) {
        return fail(ErrorKind::Limit,
                    fmt::format("more than {} bytes would come out, {}", allowed_.most, allowed_.reason));
      }
      left -= fact.size;
    }
    return {};
  }

  Result<std::string> content_of(const Fact& fact) const {
    if (!has(fact.start, kEntrySize)) return ends_early();
    if (get32(fact.start) != kEntryMark) return damaged("an entry is not where its directory says");
    size_t at = fact.start + kEntrySize + get16(fact.start + 26) + get16(fact.start + 28);
    if (!has(at, fact.packed)) return ends_early();
    std::string_view packed = bytes_.substr(at, fact.packed);
    progress_(packed.size());
    if (fact.method == kStored && fact.size != fact.packed) return damaged("a size is wrong");
    std::string content = HARN_TRY(fact.method == kStored ? Result<std::string>(std::string(packed))
                                                          : inflate(packed, fact.size, progress_));
    if (HARN_TRY(crc32(content, progress_)) != fact.sum) return damaged("a checksum is wrong");
    return content;
  }

  std::string_view bytes_;
  const Allowance& allowed_;
  const Progress& progress_;
  size_t at_ = 0;
  uint64_t count_ = 0;
  std::vector<Fact> facts_;
};

}  // namespace

Result<std::string> zip_create(const std::vector<Entry>& entries, const Progress& progress) {
  Writer writer;
  for (const Entry& entry : entries) HARN_CHECK(writer.add(entry, progress));
  return writer.finish();
}

Result<std::vector<Entry>> zip_extract(std::string_view bytes, const Allowance& allowed, const Progress& progress) {
  return Reader(bytes, allowed, progress).read();
}

}  // namespace harn::compress

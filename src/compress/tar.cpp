// Tar: blocks of 512 bytes; a header block, then the content, filled up with zeros. Two empty blocks end it. A header has
// room for 100 bytes of a path and 155 more of its folders; what does not fit comes in an entry before it, in one of two
// ways: a pax header (`x`, lines of "length key=value") or GNU's long name (`L`).
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/fmt.h"
#include "base/text.h"
#include "compress/archive.h"

namespace harn::compress {

namespace {

constexpr size_t kBlock = 512;
constexpr int64_t kMostMode = 07777;
constexpr size_t kMostSize = size_t{1} << 33;  // eleven octal digits

// Where the fields of a header are.
struct Field {
  size_t at, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12}, kTime{136, 12},
    kChecksum{148, 8}, kType{156, 1}, kMagic{257, 8}, kPrefix{345, 155};

size_t padding(size_t size) { return (kBlock - size % kBlock) % kBlock; }

// The sum of all bytes, with blanks where it is written.
uint32_t checksum(std::string_view block) {
  uint32_t sum = kChecksum.size * ' ';
  for (size_t i = 0; i < kBlock; ++i) {
    if (i - kChecksum.at >= kChecksum.size) sum += static_cast<uint8_t>(block[i]);
  }
  return sum;
}

// ---- writing ----

class Header {
 public:
  void text(Field field, std::string_view text) { text.copy(block_.data() + field.at, field.size); }
  void octal(Field field, uint64_t number) { text(field, fmt::format("{:0{}o}", number, field.size - 1)); }
  std::string_view finish() {
    text(kChecksum, fmt::format("{:06o}", checksum({block_.data(), kBlock})));
    block_[kChecksum.at + 7] = ' ';
    return {block_.data(), kBlock};
  }

 private:
  std::array<char, kBlock> block_{};
};

// Where a path can be cut so that both parts fit, or npos.
size_t cut_of(std::string_view path) {
  size_t slash = path.rfind('/', kPrefix.size);
  bool fits = slash != path.npos && slash > 0 && path.size() - slash - 1 <= kName.size && slash + 1 < path.size();
  return fits ? slash : path.npos;
}

void add_entry(std::string& out, char type, std::string_view path, std::string_view content, int64_t mode) {
  Header header;
  size_t cut = path.size() > kName.size ? cut_of(path) : path.npos;
  if (cut != path.npos) header.text(kPrefix, path.substr(0, cut));
  header.text(kName, cut == path.npos ? path : path.substr(cut + 1));
  header.octal(kMode, mode);
  header.octal(kOwner, 0);
  header.octal(kGroup, 0);
  header.octal(kSize, content.size());
  header.octal(kTime, 0);
  header.text(kType, {&type, 1});
  header.text(kMagic, {"ustar\00000", 8});
  out += header.finish();
  out += content;
  out.append(padding(content.size()), '\0');
}

// The length counts itself.
std::string pax_line(std::string_view key, std::string_view value) {
  size_t rest = key.size() + value.size() + 3, length = rest;
  while (length != rest + std::to_string(length).size()) length = rest + std::to_string(length).size();
  return fmt::format("{} {}={}\n", length, key, value);
}

// ---- reading ----

class Reader {
 public:
  Reader(std::string_view bytes, const Progress& progress) : rest_(bytes), progress_(progress) {}

  Result<std::vector<Entry>> read() {
    while (!is_end()) {
      progress_(kBlock);
      HARN_CHECK(read_entry());
    }
    return std::move(entries_);
  }

 private:
  // An empty block, or nothing: writers that were cut off behind an entry are forgiven, as everywhere.
  bool is_end() const {
    return rest_.empty() || (rest_.size() >= kBlock && rest_.substr(0, kBlock).find_first_not_of('\0') == rest_.npos);
  }

  static std::string_view field(std::string_view block, Field field) {
    std::string_view text = block.substr(field.at, field.size);
    return text.substr(0, text.find('\0'));
  }

  // Octal digits, or, with the highest bit set, a number of 95 bits.
  static Result<uint64_t> number(std::string_view block, Field field) {
    std::string_view text = block.substr(field.at, field.size);
    uint64_t out = 0;
    if (static_cast<uint8_t>(text[0]) == 0x80) {
      for (char c : text.substr(1)) {
        if (out >> 56) return damaged("a number is too large");
        out = out << 8 | static_cast<uint8_t>(c);
      }
      return out;
    }
    size_t first = text.find_first_not_of(' ');
    if (first == text.npos) return out;
    text = text.substr(first);
    size_t digits = std::min(text.find_first_not_of("01234567"), text.size());
    for (char c : text.substr(0, digits)) out = out * 8 + static_cast<uint64_t>(c - '0');
    bool is_ended = digits == text.size() || text[digits] == '\0' || text[digits] == ' ';
    if (!is_ended) return damaged("a number is not octal");
    return out;
  }

  Result<void> read_entry() {
    if (rest_.size() < kBlock) return ends_early();
    std::string_view block = rest_.substr(0, kBlock);
    if (HARN_TRY(number(block, kChecksum)) != checksum(block)) return damaged("a header has another checksum");
    rest_.remove_prefix(kBlock);
    uint64_t size = long_size_ ? *long_size_ : HARN_TRY(number(block, kSize));
    if (size > rest_.size()) return ends_early();
    std::string_view content = rest_.substr(0, size);
    rest_.remove_prefix(std::min<size_t>(size + padding(size), rest_.size()));
    switch (block[kType.at]) {
      case 'L': long_path_ = content.substr(0, content.find('\0')); return {};
      case 'x': return read_pax(content);
      case 'g': return {};  // for all entries: nothing that is of use here
      case 'K': return {};  // the target of a link, which is refused itself
      default: return take_entry(block, content);
    }
  }

  Result<void> take_entry(std::string_view block, std::string_view content) {
    std::string path = HARN_TRY(take_path(block));
    switch (block[kType.at]) {
      case '0':
      case '7':
      case '\0': break;
      case '5': return {};
      case '1': return fail(ErrorKind::Denied, fmt::format("`{}` is a hard link", path));
      case '2': return fail(ErrorKind::Denied, fmt::format("`{}` is a symbolic link", path));
      case '3':
      case '4':
      case '6': return fail(ErrorKind::Denied, fmt::format("`{}` is a device or a pipe", path));
      default: return fail(ErrorKind::Unsupported, fmt::format("`{}` is an entry of an unknown type", path));
    }
    // Old archives know a folder by the end of its path.
    if (path.ends_with('/')) return {};
    progress_(content.size());
    auto mode = static_cast<int64_t>(HARN_TRY(number(block, kMode)) & kMostMode);
    entries_.push_back({std::move(path), std::string(content), mode});
    return {};
  }

  Result<std::string> take_path(std::string_view block) {
    std::string path(field(block, kName));
    bool is_ustar = field(block, kMagic).starts_with("ustar") && block[kMagic.at + 5] == '\0';
    if (long_path_) {
      path = std::move(*long_path_);
    } else if (std::string_view prefix = field(block, kPrefix); is_ustar && !prefix.empty()) {
      path = fmt::format("{}/{}", prefix, path);
    }
    long_path_.reset();
    long_size_.reset();
    HARN_CHECK(check_entry_path(path));
    return text::to_valid_utf8(path);
  }

  Result<void> read_pax(std::string_view lines) {
    while (!lines.empty()) {
      size_t length = 0;
      auto [end, error] = std::from_chars(lines.data(), lines.data() + lines.size(), length);
      size_t head = static_cast<size_t>(end - lines.data());
      bool is_line = error == std::errc() && length > head + 1 && length <= lines.size() && lines[head] == ' ' &&
                     lines[length - 1] == '\n';
      if (!is_line) return damaged("a pax header cannot be read");
      std::string_view line = lines.substr(head + 1, length - head - 2);
      lines.remove_prefix(length);
      size_t equals = std::min(line.find('='), line.size() - !line.empty());
      HARN_CHECK(take_pax(line.substr(0, equals), line.substr(std::min(equals + 1, line.size()))));
    }
    return {};
  }

  Result<void> take_pax(std::string_view key, std::string_view value) {
    if (key == "path") long_path_ = value;
    if (key.starts_with("GNU.sparse")) return fail(ErrorKind::Unsupported, "a file with holes is not supported");
    if (key != "size") return {};
    uint64_t size = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    if (error != std::errc() || end != value.data() + value.size()) return damaged("a size cannot be read");
    long_size_ = size;
    return {};
  }

  std::string_view rest_;
  const Progress& progress_;
  std::vector<Entry> entries_;
  // What an entry said about the next one.
  std::optional<std::string> long_path_;
  std::optional<uint64_t> long_size_;
};

}  // namespace

Result<std::string> tar_create(const std::vector<Entry>& entries, const Progress& progress) {
  std::string out;
  for (const Entry& entry : entries) {
    HARN_CHECK(check_entry_path(entry.path));
    if (entry.content.size() >= kMostSize) return fail(ErrorKind::Limit, "an entry has more than 8 GiB");
    progress(kBlock + entry.content.size());
    bool fits = entry.path.size() <= kName.size || cut_of(entry.path) != entry.path.npos;
    if (!fits) add_entry(out, 'x', "PaxHeader", pax_line("path", entry.path), 0644);
    add_entry(out, '0', entry.path, entry.content, entry.mode);
  }
  out.append(2 * kBlock, '\0');
  return out;
}

Result<std::vector<Entry>> tar_extract(std::string_view bytes, const Progress& progress) {
  return Reader(bytes, progress).read();
}

}  // namespace harn::compress

#include "llm/aws_signature.h"

#include <ctime>

#include "base/codecs.h"
#include "base/fmt.h"
#include "base/result.h"
#include "crypto/digest.h"

namespace harn::llm {

namespace {

using Made = std::expected<std::string, std::string>;

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string utc(const char* format, int64_t now_s) {
  time_t time = static_cast<time_t>(now_s);
  tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return std::string(text, strftime(text, sizeof text, format, &parts));
}

Made sha256(std::string_view text) {
  auto digest = HARN_TRY(crypto::Digest::start("SHA2-256"));
  digest.add(text);
  return codecs::to_hex(digest.finish());
}

struct Target {
  std::string_view host, path;  // with its port; "/" at least
};

Target target_of(std::string_view url) {
  size_t scheme = url.find("://");
  std::string_view rest = scheme == url.npos ? url : url.substr(scheme + 3);
  size_t slash = rest.find('/');
  if (slash == rest.npos) return {rest, "/"};
  return {rest.substr(0, slash), rest.substr(slash, rest.find('?') - slash)};
}

// A key for this day, region and service, so that the secret itself signs nothing.
Made signing_key(const AwsCredentials& credentials, std::string_view day, std::string_view region,
                 std::string_view service) {
  std::string key = "AWS4" + credentials.secret;
  for (std::string_view part : {day, region, service, std::string_view("aws4_request")})
    key = HARN_TRY(crypto::hmac_sha256(key, part));
  return key;
}

}  // namespace

std::string aws_key(const AwsCredentials& credentials) {
  return fmt::format("{}\n{}\n{}", credentials.id, credentials.secret, credentials.session_token);
}

AwsCredentials aws_credentials(std::string_view key) {
  size_t first = key.find('\n');
  size_t second = key.find('\n', first + 1);
  return {std::string(key.substr(0, first)), std::string(key.substr(first + 1, second - first - 1)),
          std::string(key.substr(second + 1))};
}

std::expected<std::vector<effects::HttpHeader>, std::string> aws_headers(const AwsCredentials& credentials,
                                                                         std::string_view region,
                                                                         std::string_view service, std::string_view url,
                                                                         std::string_view body, int64_t now_s) {
  std::string time = utc("%Y%m%dT%H%M%SZ", now_s);
  std::string_view day = std::string_view(time).substr(0, 8);
  std::string content = HARN_TRY(sha256(body));
  Target target = target_of(url);
  // In the order of their names, as they have to be signed.
  std::vector<effects::HttpHeader> headers = {{"x-amz-content-sha256", content}, {"x-amz-date", time}};
  if (!credentials.session_token.empty()) headers.push_back({"x-amz-security-token", credentials.session_token});
  std::string names = "host", lines = fmt::format("host:{}\n", target.host);
  for (const effects::HttpHeader& header : headers) {
    names += ";" + header.name;
    lines += fmt::format("{}:{}\n", header.name, header.value);
  }
  std::string scope = fmt::format("{}/{}/{}/aws4_request", day, region, service);
  std::string request = HARN_TRY(sha256(fmt::format("POST\n{}\n\n{}\n{}\n{}", target.path, lines, names, content)));
  std::string key = HARN_TRY(signing_key(credentials, day, region, service));
  std::string signature =
      HARN_TRY(crypto::hmac_sha256(key, fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope, request)));
  headers.push_back({"authorization", fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                                                  credentials.id, scope, names, codecs::to_hex(signature))});
  return headers;
}

}  // namespace harn::llm

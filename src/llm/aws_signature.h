#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "effects/http.h"

// Requests that are signed with credentials of AWS (Signature Version 4), instead of carrying a key. Pure.
namespace harn::llm {

struct AwsCredentials {
  std::string id;
  std::string secret;
  std::string session_token;  // empty: they are not temporary
};

// As one text, the way a provider's key travels (model_settings.h): its lines are the fields.
std::string aws_key(const AwsCredentials& credentials);
AwsCredentials aws_credentials(std::string_view key);

// The headers that a POST of `body` needs besides its content type. Fails where OpenSSL is missing.
std::expected<std::vector<effects::HttpHeader>, std::string> aws_headers(const AwsCredentials& credentials,
                                                                         std::string_view region,
                                                                         std::string_view service, std::string_view url,
                                                                         std::string_view body, int64_t now_s);

}  // namespace harn::llm

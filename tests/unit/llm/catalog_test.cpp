#include "llm/catalog.h"

#include "data/toml.h"
#include "llm/resolve.h"
#include "llm/routing.h"
#include "values.h"

namespace harn::llm {
namespace {

const Catalog& own() { return *builtin_catalog(); }

Value toml(std::string_view text) {
  auto parsed = data::parse_toml(vm::text_value(text));
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Value();
}

std::string chosen(const Variables& variables, const Asked& asked, const Catalog& catalog = own()) {
  auto choice = resolve(catalog, variables, asked);
  return choice ? choice->provider + " " + choice->model : choice.error();
}

TEST(Catalog, VersionsOfModels) {
  using V = std::pair<int, int>;
  EXPECT_EQ(version_of("claude-opus-4-7"), V(4, 7));
  EXPECT_EQ(version_of("claude-sonnet-4-20250514"), V(4, 0));
  EXPECT_EQ(version_of("claude-3-5-sonnet-20241022"), V(3, 5));
  EXPECT_EQ(version_of("claude-opus-4-1-20250805"), V(4, 1));
  EXPECT_EQ(version_of("claude-sonnet-4.6"), V(4, 6));
  EXPECT_EQ(version_of("gpt-5.4-mini"), V(5, 4));
  EXPECT_EQ(version_of("gpt-4o"), V(4, 0));
  EXPECT_EQ(version_of("gpt-4-32k"), V(4, 0));
  EXPECT_EQ(version_of("llama3.2"), V(3, 2));
  EXPECT_EQ(version_of("mistral"), V(0, 0));
}

TEST(Catalog, Capabilities) {
  auto has_search = [](std::string_view provider, std::string_view model) {
    return !texts_of(own().capabilities(provider, model), "tool_search").empty();
  };
  EXPECT_TRUE(has_search("anthropic", "claude-opus-4-7"));
  EXPECT_TRUE(has_search("anthropic", "claude-sonnet-4-20250514"));
  EXPECT_TRUE(has_search("anthropic", "claude-haiku-4-5"));
  EXPECT_FALSE(has_search("anthropic", "claude-haiku-4-0"));
  EXPECT_FALSE(has_search("anthropic", "claude-3-5-sonnet-20241022"));
  EXPECT_TRUE(has_search("openai", "gpt-5.4-mini"));
  EXPECT_FALSE(has_search("openai", "gpt-5"));
  EXPECT_FALSE(has_search("openai", "gpt-4o"));
  for (std::string_view provider : {"openrouter", "together", "groq", "fireworks", "huggingface", "vllm", "local"}) {
    EXPECT_TRUE(has_search(provider, "openai/gpt-5.4")) << provider;
    EXPECT_FALSE(has_search(provider, "openai/gpt-4o")) << provider;
    EXPECT_FALSE(has_search(provider, "openai/gpt-oss-120b")) << provider;
  }
  EXPECT_EQ(text_of(own().capabilities("anthropic", "claude-opus-4-7"), "message_wire_format"), "anthropic");
  EXPECT_EQ(text_of(own().capabilities("openai", "gpt-5.4"), "message_wire_format"), "openai_responses");
  EXPECT_EQ(text_of(own().capabilities("nobody", "x"), "preferred_tool_format"), "native");
}

TEST(Catalog, RulesThatAreAddedWin) {
  Catalog catalog = own();
  ASSERT_TRUE(
      catalog.add_capabilities(toml("[[provider.anthropic]]\nmodel_match = \"claude-*\"\nnative_tools = false\n")));
  Settings changed = catalog.capabilities("anthropic", "claude-opus-4-7");
  EXPECT_FALSE(flag_of(changed, "native_tools"));
  EXPECT_TRUE(flag_of(changed, "prompt_caching"));  // the rest stays
  auto wrong = catalog.add_capabilities(toml("[[provider.anthropic]]\nnative_tool = true\n"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error(),
            "[[provider.anthropic]]: there is no capability `native_tool`; did you mean `native_tools`?");
  EXPECT_FALSE(catalog.add_capabilities(toml("[[provider.anthropic]]\nmax_tools = \"many\"\n")));
}

TEST(Catalog, WhoseModelItIs) {
  auto whose = [](std::string_view model) {
    auto found = own().infer(model);
    return found ? found->provider + " " + found->model : "nobody";
  };
  EXPECT_EQ(whose("local:llama3"), "ollama llama3");
  EXPECT_EQ(whose("ollama:qwen3:8b"), "ollama qwen3:8b");
  EXPECT_EQ(whose("hf:org/model"), "huggingface org/model");
  EXPECT_EQ(whose("claude-opus-4-7"), "anthropic claude-opus-4-7");
  EXPECT_EQ(whose("gpt-4o"), "openai gpt-4o");
  EXPECT_EQ(whose("o3-mini"), "openai o3-mini");
  EXPECT_EQ(whose("gemini-2.5-pro"), "gemini gemini-2.5-pro");
  EXPECT_EQ(whose("anthropic.claude-3-sonnet"), "bedrock anthropic.claude-3-sonnet");
  EXPECT_EQ(whose("meta.llama3-8b"), "bedrock meta.llama3-8b");
  EXPECT_EQ(whose("vendor/model"), "openrouter vendor/model");
  EXPECT_EQ(whose("a/b/c"), "nobody");
  EXPECT_EQ(whose("llama3.2:latest"), "ollama llama3.2:latest");
}

TEST(Catalog, OrderOfProviders) {
  Variables key = {{"ANTHROPIC_API_KEY", "set"}};
  EXPECT_EQ(chosen(key, {}), "anthropic claude-sonnet-4-20250514");
  EXPECT_EQ(chosen(key, {.provider = "openai"}), "openai gpt-4o");
  EXPECT_EQ(chosen(key, {.model = "gpt-4o-mini"}), "openai gpt-4o-mini");
  EXPECT_EQ(chosen(key, {.model = "haiku"}), "anthropic claude-haiku-4-5");
  EXPECT_EQ(chosen(key, {.provider = "openai", .tier = "small"}), "openai gpt-4o-mini");
  EXPECT_EQ(chosen(key, {.tier = "frontier"}), "anthropic claude-opus-4-5");
  EXPECT_EQ(chosen({}, {}), "ollama llama3.2");
  EXPECT_EQ(chosen({{"HARN_LLM_PROVIDER", "mock"}}, {.model = "gpt-4o"}), "mock gpt-4o");
  EXPECT_EQ(chosen({{"HARN_LLM_PROVIDER", "mock"}}, {.provider = "auto", .model = "gpt-4o"}), "openai gpt-4o");
  EXPECT_EQ(chosen({{"HARN_LLM_MODEL", "gpt-4.1"}}, {}), "openai gpt-4.1");
  EXPECT_EQ(chosen({{"HARN_LLM_MODEL", "gpt-4.1"}}, {.provider = "anthropic"}), "anthropic claude-sonnet-4-20250514");
  EXPECT_EQ(chosen({{"LOCAL_LLM_BASE_URL", "http://x"}, {"LOCAL_LLM_MODEL", "m"}}, {}), "local m");
  EXPECT_EQ(chosen({{"LOCAL_LLM_BASE_URL", "http://x"}}, {.model = "q"}), "local q");
  EXPECT_EQ(chosen({{"HARN_DEFAULT_PROVIDER", "groq"}, {"GROQ_API_KEY", "set"}, {"HARN_LLM_MODEL", "my-model"}}, {}),
            "groq my-model");
  EXPECT_EQ(chosen({}, {.provider = "antropic"}), "unknown provider `antropic`; did you mean `anthropic`?");
  EXPECT_NE(chosen({}, {.provider = "groq"}).find("has no default model"), std::string::npos);
}

TEST(Catalog, ProvidersAreReady) {
  auto url = [](const Variables& variables, std::string_view name) {
    auto provider = provider_for(own(), variables, name, "m");
    return provider ? provider->base_url + provider->chat_endpoint : provider.error();
  };
  EXPECT_EQ(url({}, "anthropic"), "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(url({{"LOCAL_LLM_BASE_URL", "http://h:1/v1/"}}, "local"), "http://h:1/v1/chat/completions");
  EXPECT_EQ(url({{"OLLAMA_HOST", "0.0.0.0"}}, "ollama"), "http://127.0.0.1:11434/api/chat");
  EXPECT_EQ(url({{"OLLAMA_HOST", "https://o.example"}}, "ollama"), "https://o.example/api/chat");
  EXPECT_EQ(url({}, "azure_openai"), "the provider `azure_openai` needs AZURE_OPENAI_ENDPOINT, which is not set");
  EXPECT_EQ(url({{"AWS_DEFAULT_REGION", "eu-west-1"}}, "bedrock"),
            "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1/chat/completions");
  Variables azure = {{"AZURE_OPENAI_ENDPOINT", "https://a"}, {"AZURE_OPENAI_AD_TOKEN", "set"}};
  EXPECT_EQ(provider_for(own(), azure, "azure_openai", "m")->auth_style, "bearer");
  azure["AZURE_OPENAI_API_KEY"] = "set";
  EXPECT_EQ(provider_for(own(), azure, "azure_openai", "m")->auth_style, "header");
  auto ollama =
      provider_for(own(), {{"OLLAMA_NUM_CTX", "10"}, {"HARN_OLLAMA_NUM_CTX", "no"}, {"OLLAMA_KEEP_ALIVE", "forever"}},
                   "ollama", "m");
  EXPECT_EQ(ollama->context_tokens, 10);
  EXPECT_EQ(ollama->keep_alive, "-1");
}

TEST(Catalog, ManifestsAddProviders) {
  Catalog catalog = own();
  ASSERT_TRUE(catalog.add(toml(R"(
[providers.my_proxy]
base_url = "https://llm.example.com/v1"
chat_endpoint = "/chat/completions"
auth_style = "bearer"
auth_env = "MY_PROXY_API_KEY"
cost_per_1k_in = 0.0002
cost_per_1k_out = 0.0006
latency_p50_ms = 900
[aliases]
my-fast = { id = "vendor/model-fast", provider = "my_proxy" }
[model_defaults."vendor/*"]
temperature = 0.2
)")));
  EXPECT_EQ(chosen({}, {.model = "my-fast"}, catalog), "my_proxy vendor/model-fast");
  EXPECT_NEAR(cost_of(*catalog.price("my_proxy", "vendor/model-fast"), {.input = 1000, .output = 1000}), 0.0008, 1e-9);
  EXPECT_EQ(catalog.latency_ms("my_proxy", "vendor/model-fast"), 900);
  EXPECT_EQ(std::get<double>(catalog.model_defaults("vendor/model-fast")["temperature"]), 0.2);
  EXPECT_EQ(provider_for(catalog, {}, "my_proxy", "m")->base_url, "https://llm.example.com/v1");
  auto wrong = catalog.add(toml("[providers.x]\nwire = \"soap\""));
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().find("`wire` is `soap`"), std::string::npos);
  EXPECT_FALSE(catalog.add(toml("[providers.x]\nbase_url = 3")));
}

TEST(Catalog, UnknownPricesAreUnknown) {
  EXPECT_FALSE(own().price("anthropic", "claude-of-tomorrow"));
  EXPECT_FALSE(own().price("openai", "gpt-5.4"));
  EXPECT_EQ(own().price("ollama", "anything")->input, 0);
  EXPECT_NEAR(cost_of(*own().price("anthropic", "claude-haiku-4-5"), {.input = 1'000'000, .output = 1'000'000}), 6.0,
              1e-9);
  EXPECT_NEAR(cost_of(*own().price("anthropic", "claude-haiku-4-5"), {.input = 1'000'000, .cache_read = 1'000'000}),
              0.1, 1e-9);
}

std::string routed(const Variables& variables, RouteAsk ask) {
  auto found = route(own(), variables, ask);
  if (!found) return found.error();
  std::string out;
  for (const Choice& choice : found->tries) out += (out.empty() ? "" : " > ") + choice.provider + ":" + choice.model;
  return out;
}

TEST(Routing, ByQuality) {
  auto policy = [](std::string_view text) { return *route_policy_of(text); };
  Variables keys = {{"ANTHROPIC_API_KEY", "set"}, {"OPENAI_API_KEY", "set"}};
  EXPECT_EQ(routed(keys, {.policy = policy("cheapest_over_quality(small)")}), "openai:gpt-5-nano");
  EXPECT_EQ(routed(keys, {.policy = policy("cheapest_over_quality(frontier)")}), "openai:gpt-5");
  EXPECT_EQ(routed(keys, {.policy = policy("fastest_over_quality(mid)")}), "openai:gpt-4o");
  EXPECT_EQ(routed({{"ANTHROPIC_API_KEY", "set"}}, {.policy = policy("cheapest_over_quality(mid)")}),
            "anthropic:claude-sonnet-4-5");
  EXPECT_NE(routed({}, {.policy = policy("cheapest_over_quality(mid)")}).find("set the key"), std::string::npos);
  EXPECT_EQ(routed({{"HARN_LLM_PROVIDER", "mock"}}, {.policy = policy("cheapest_over_quality(mid)")}), "mock:mock");
  EXPECT_EQ(routed(keys, {.policy = policy("always(openai:gpt-4o)")}), "openai:gpt-4o");
  EXPECT_EQ(routed(keys, {.strategy = "cheapest_first", .quality = "small"}), "openai:gpt-5-nano");
}

TEST(Routing, Fallbacks) {
  Variables key = {{"ANTHROPIC_API_KEY", "set"}};
  EXPECT_EQ(routed(key, {.fallback_chain = {"local", "ollama", "openai"}}),
            "anthropic:claude-sonnet-4-20250514 > ollama:llama3.2 > openai:gpt-4o");
  EXPECT_EQ(routed(key, {.fallback_chain = {"opena"}}), "unknown provider `opena`; did you mean `openai`?");
}

TEST(Routing, Preferences) {
  RouteAsk ask{.prefer = {"anthropic:claude-haiku-4-5", "openai:gpt-4o-mini", "gpt-5.4"}};
  Variables keys = {{"ANTHROPIC_API_KEY", "set"}, {"OPENAI_API_KEY", "set"}};
  EXPECT_EQ(routed(keys, ask), "anthropic:claude-haiku-4-5 > openai:gpt-4o-mini > openai:gpt-5.4");
  ask.strategy = "cheapest_first";  // what has no known price is last
  EXPECT_EQ(routed(keys, ask), "openai:gpt-4o-mini > anthropic:claude-haiku-4-5 > openai:gpt-5.4");
  EXPECT_EQ(routed({{"ANTHROPIC_API_KEY", "set"}}, ask), "anthropic:claude-haiku-4-5");
}

TEST(Routing, BadPolicies) {
  for (std::string_view text :
       {"cheapest", "always()", "cheapest_over_quality(huge)", "always(x", "fastest_over_quality"})
    EXPECT_FALSE(route_policy_of(text)) << text;
  EXPECT_TRUE(route_policy_of(" manual "));
}

}  // namespace
}  // namespace harn::llm

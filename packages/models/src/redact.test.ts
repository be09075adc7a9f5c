import assert from "node:assert/strict";
import { test } from "vitest";
import { hideHost, redact, redactSecrets } from "./redact.ts";

for (const [said, shown] of [
  ["Incorrect API key provided: sk-abc***xyz9.", "Incorrect API key provided: [secret]."],
  ["Upstream http://10.0.0.3:8000/v1/x failed", "Upstream [address] failed"],
  ["connect ECONNREFUSED 127.0.0.1:8080", "connect ECONNREFUSED [address]"],
  ["connect to [::1]:8080 or fe80::1:2:3", "connect to [address] or [address]"],
  ["redis:6379 and gpu-7.cluster.local are down", "[address] and [address] are down"],
  ["Authorization: Bearer abc.def", "Authorization: [secret]"],
  ["token 0123456789abcdef0123456789abcdef", "token [secret]"],
  [
    "max_tokens: 99999 > 8192, the limit of claude-3.5-sonnet",
    "max_tokens: 99999 > 8192, the limit of claude-3.5-sonnet",
  ],
  ["upstream gpu-7.eu-west-1.acme-corp.systems closed", "upstream [address] closed"],
  ["getaddrinfo ENOTFOUND vllm-0.vllm.models", "getaddrinfo ENOTFOUND [address]"],
  ["no response from backend vllm-7", "no response from backend [address]"],
  ["node ip-10-0-3-17 is out of memory", "node [address] is out of memory"],
  [
    "Unsupported parameter: 'reasoning.effort' and 'text.format.schema' with messages.0.content.1.text",
    "Unsupported parameter: 'reasoning.effort' and 'text.format.schema' with messages.0.content.1.text",
  ],
  ["gemini-2.5-flash and gpt-4.1-mini v1.2.3", "gemini-2.5-flash and gpt-4.1-mini v1.2.3"],
  ["two\n\tlines\u0000", "two lines"],
] as const) {
  test(`the provider's message ${JSON.stringify(said)} is shown as ${JSON.stringify(shown)}`, () =>
    assert.equal(redact(said), shown));
}

for (const [said, shown, logged = shown] of [
  ["call https://bob:s3cretpw@llm.internal/v1", "call [address]", "call https://llm.internal/v1"],
  ["call https://llm.internal/v1?key=short123key", "call [address]", "call https://llm.internal/v1"],
  ["call https://bob:a?b@llm.internal/v1", "call [address]", "call https://[secret]"],
  ["no path /v1/models?a=1&key=short123key", "no path /v1/models?a=[secret]&key=[secret]"],
  ["Invalid API Key: mygatewaykey", "Invalid API Key: [secret]"],
  ["Incorrect%20API%20key%20provided:%20banana. Stop", "Incorrect%20API%20key%20provided:%20[secret]. Stop"],
  ["API key 'banana' and api key banana2024 are wrong", "API key '[secret]' and api key [secret] are wrong"],
  ["x-api-key: deadbeefdeadbeef", "x-api-key: [secret]"],
  ['{"password": "hunter", "access_token":"abc"}', '{"password": "[secret]", "access_token":"[secret]"}'],
  ["Authorization: Basic dXNlcjpwYXNz", "Authorization: [secret]"],
  ["header Basic dXNlcjpwYXNz==, refused", "header [secret], refused"],
  ["authorization: basic abcdef", "authorization: [secret]"],
  ["AKIAIOSFODNN7EXAMPLE may not", "[secret] may not"],
  ["eyJhbGciOi.eyJzdWIi.abc expired", "[secret] expired"],
  ["API key not valid. Please pass a valid API key.", "API key not valid. Please pass a valid API key."],
  ["api_key: field required; basic authentication", "api_key: field required; basic authentication"],
  ["max_tokens: 99999 > 8192", "max_tokens: 99999 > 8192"],
] as const) {
  test(`secrets are removed from ${JSON.stringify(said)}, for users and for the log`, () => {
    assert.equal(redact(said), shown);
    assert.equal(redactSecrets(said), logged);
  });
}

for (const [baseUrl, said, shown] of [
  ["http://ollama:11434/v1", "Ollama:11434 refused, ollama says", "[address] refused, [address] says"],
  ["https://acme.systems/v1", "the host ACME.systems is busy", "the host [address] is busy"],
  ["https://acme.systems/v1", "acmexsystems and acme.systems-2 stay", "acmexsystems and acme.systems-2 stay"],
  ["http://[fd00::7]:8080", "[fd00::7]:8080 failed", "[address] failed"],
  [undefined, "nothing is known", "nothing is known"],
  ["no url", "no url", "no url"],
] as const) {
  test(`the host of ${baseUrl} is removed from ${JSON.stringify(said)}`, () => {
    assert.equal(hideHost(said, baseUrl), shown);
  });
}

test("long and hostile messages of a provider are redacted quickly", () => {
  // With time in proportion to the square of the length, each would outlast the test's timeout.
  for (const text of [
    "a".repeat(1e6),
    "1.".repeat(1e6),
    ":".repeat(1e6),
    "a:b".repeat(1e6),
    "sk-".repeat(1e6),
    "api key ".repeat(1e6),
    "token:".repeat(1e6),
    "basic a".repeat(1e6),
    "?a=".repeat(1e6),
    "a://@".repeat(1e6),
  ]) {
    assert.ok(redact(text).length <= 300);
    redactSecrets(text);
  }
});

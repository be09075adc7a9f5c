import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "vitest";
import { say, serve } from "../test/support/fake-provider.ts";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "./index.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];

const variables = {
  aggregator: "OPENROUTER",
  anthropic: "ANTHROPIC",
  google: "GOOGLE",
  local: "LOCAL",
  openai: "OPENAI",
  xai: "XAI",
};
type Name = keyof typeof variables;

async function failureOf(
  t: Parameters<typeof serve>[0],
  name: Name,
  answer: RequestListener,
  openaiInterface = "responses",
): Promise<ModelFailure> {
  const provider = await serve(t, answer);
  const prefix = variables[name];
  const environment = {
    [`${prefix}_BASE_URL`]: provider.baseUrl,
    [`${prefix}_API_KEY`]: "sk-very-secret-key",
    OPENAI_API: openaiInterface,
  };
  const resolved = await createModels(readModelsConfig(environment)).resolve(`${name}/vendor/model`);
  assert.ok(resolved.ok);
  try {
    for await (const _ of streamModel(resolved.model, { prompt }));
  } catch (error) {
    assert.ok(error instanceof ModelFailure, String(error));
    return error;
  }
  return assert.fail("The call did not fail");
}

const anthropic = (message: string, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
  request_id: "req_7",
});
const openai = (message: string, code: string | number | null, type = "invalid_request_error") => ({
  error: { message, type, param: "messages", code },
});
const google = (message: string) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });
const llama = (message: string, type: string, code: number) => ({ error: { code, message, type } });

interface Refusal {
  what: string;
  name: Name;
  body: unknown;
  status?: number;
  chat?: true;
}

const refusals: Refusal[] = [
  {
    what: "Anthropic's prompt",
    name: "anthropic",
    body: anthropic("prompt is too long: 208310 tokens > 200000 maximum"),
  },
  {
    what: "Anthropic's prompt together with its output",
    name: "anthropic",
    body: anthropic(
      "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
    ),
  },
  {
    what: "Anthropic's request size",
    name: "anthropic",
    status: 413,
    body: anthropic("Request exceeds the maximum size", "request_too_large"),
  },
  {
    what: "OpenAI's chat completions",
    name: "openai",
    chat: true,
    body: openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
  },
  {
    what: "OpenAI's responses",
    name: "openai",
    body: openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
  },
  {
    what: "Google's token count",
    name: "google",
    body: google("The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."),
  },
  {
    what: "xAI's prompt length",
    name: "xai",
    body: {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  },
  {
    what: "OpenRouter's endpoint",
    name: "aggregator",
    body: openai(
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40012 tokens (39000 of text input, 1012 in the output). Please reduce the length of either one.",
      400,
    ),
  },
  {
    what: "vLLM",
    name: "local",
    body: {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  },
  {
    what: "vLLM's conversation together with its output",
    name: "local",
    body: openai(
      "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (500 > 4096 - 4000).",
      null,
    ),
  },
  {
    what: "Cohere",
    name: "local",
    body: {
      message:
        "too many tokens: size limit exceeded by 1026 tokens. Try using shorter or fewer inputs. The limit for this model is 8192 tokens.",
    },
  },
  {
    what: "llama.cpp",
    name: "local",
    body: llama(
      "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
      "exceed_context_size_error",
      400,
    ),
  },
  {
    what: "llama.cpp's fault of the server",
    name: "local",
    status: 500,
    body: llama("Context size has been exceeded.", "server_error", 500),
  },
  {
    what: "an older llama.cpp",
    name: "local",
    status: 500,
    body: llama("the request is too large", "exceed_context_size_error", 500),
  },
  {
    what: "LM Studio",
    name: "local",
    body: {
      error:
        "Trying to keep the first 5102 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    },
  },
  {
    what: "Groq",
    name: "local",
    body: openai("Please reduce the length of the messages or completion.", "context_length_exceeded"),
  },
  {
    what: "Mistral",
    name: "local",
    body: {
      object: "error",
      message:
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_error",
      code: 3051,
    },
  },
  {
    what: "Hugging Face",
    name: "local",
    status: 422,
    body: {
      error: "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
      error_type: "validation",
    },
  },
];

for (const { what, name, status = 400, body, chat } of refusals) {
  test(`${what}: the failure says so, and a shorter conversation may succeed`, async (t) => {
    const failure = await failureOf(t, name, say(status, body), chat ? "chat" : "responses");
    assert.equal(failure.isTooLong, true);
    assert.equal(failure.errorType, "validation_error");
    assert.deepEqual([failure.retryable, failure.transient], [false, false]);
    assert.match(failure.message, /^The conversation is longer than this model of \w+ accepts\./);
  });
}

const streamed: Array<{ what: string; name: Name; chat?: true; lines: string[] }> = [
  {
    what: "OpenAI's responses",
    name: "openai",
    lines: [
      'event: error\ndata: {"type":"error","sequence_number":1,"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model.","param":"input"}}\n\n',
    ],
  },
  {
    what: "OpenRouter",
    name: "aggregator",
    lines: [
      'data: {"id":"1","error":{"code":400,"message":"This endpoint\'s maximum context length is 8192 tokens."},"choices":[]}\n\n',
    ],
  },
  {
    what: "Anthropic",
    name: "anthropic",
    lines: [
      'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}\n\n',
    ],
  },
];
for (const { what, name, lines } of streamed) {
  test(`${what} may do so in the stream`, async (t) => {
    const failure = await failureOf(t, name, (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(lines.join(""));
    });
    assert.equal(failure.isTooLong, true, failure.message);
  });
}

const others: Array<[what: string, name: Name, status: number, body: unknown]> = [
  [
    "a value that is too long",
    "openai",
    400,
    openai("Invalid 'tools[0].name': string too long.", "string_above_max_length"),
  ],
  [
    "words of the user about lengths",
    "local",
    400,
    openai('Bad text "the prompt is too long: maximum context length"', null),
  ],
  ["a limit of the rate", "openai", 429, openai("Rate limit reached: too many tokens per minute", null)],
  [
    "a limit of the rate without its status",
    "local",
    400,
    openai("Too many tokens, please wait before trying again.", null),
  ],
  [
    "an output that is set too long",
    "local",
    400,
    openai("too many tokens requested for the completion: at most 4096", null),
  ],
  [
    "an output that no model may write",
    "openai",
    400,
    openai(
      "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
      "invalid_value",
    ),
  ],
  [
    "vLLM's output that takes the whole window",
    "local",
    400,
    openai(
      "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 20 input tokens (5000 > 4096 - 20).",
      null,
    ),
  ],
  [
    "an older vLLM's output that takes the whole window",
    "local",
    400,
    openai(
      "This model's maximum context length is 4096 tokens. However, you requested 5020 tokens (20 in the messages, 5000 in the completion).",
      null,
    ),
  ],
  [
    "Anthropic's output that takes the whole window",
    "anthropic",
    400,
    anthropic("input length and `max_tokens` exceed context limit: 20 + 256000 > 200000, decrease it"),
  ],
  ["a fault of the server", "local", 500, llama("Out of memory", "server_error", 500)],
  ["a wrong key", "anthropic", 401, anthropic("invalid x-api-key", "authentication_error")],
];
for (const [what, name, status, body] of others) {
  test(`${what} is another failure`, async (t) => {
    const failure = await failureOf(t, name, say(status, body));
    assert.equal(failure.isTooLong, false);
  });
}

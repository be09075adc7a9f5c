import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { formats } from "../formats.ts";
import type { ScriptedFormat } from "../script.ts";

const call = { type: "function", function: { name: "look-up", arguments: "{}" } };
const chat = {
  user: { role: "user", content: "Hello" },
  calls: {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "a", ...call },
      { id: "b", ...call },
    ],
  },
  one: { role: "tool", tool_call_id: "a", content: "1" },
  two: { role: "tool", tool_call_id: "b", content: "" },
  text: { role: "assistant", content: "Hi" },
};

const message = (role: string, ...content: object[]) => ({ role, content });
const words = (text: string) => ({ type: "text", text });
const use = (id: string, name = "look-up") => ({ type: "tool_use", id, name, input: {} });
const given = (id: string, content: unknown = "1") => ({ type: "tool_result", tool_use_id: id, content });
const thought = { type: "thinking", thinking: "Hm", signature: "s" };
const hello = message("user", words("Hello"));

const fn = { type: "function_call", call_id: "a", name: "look-up", arguments: '{"q":1}' };
const output = { type: "function_call_output", call_id: "a", output: "1" };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" };
const ask = { role: "user", content: [{ type: "input_text", text: "Hello" }] };
const reply = { role: "assistant", content: "Hi" };

const content = (role: string, ...parts: object[]) => ({ role, parts });
const functionCall = (id: string, name = "look-up") => ({ functionCall: { id, name, args: {} } });
const functionResponse = (id: string, name = "look-up") => ({ functionResponse: { id, name, response: {} } });
const text = { text: "Hello" };
const signed = { ...functionCall("a"), thoughtSignature: "s" };

interface Case {
  format: ScriptedFormat;
  /** Wraps the conversation in a request. */
  body: (conversation: unknown[]) => object;
  path?: string;
  legal: Record<string, unknown[]>;
  illegal: Record<string, [unknown[], RegExp]>;
}

const cases: Record<string, Case> = {
  "OpenAI's chat completions": {
    format: "openai",
    body: (messages) => ({ model: "x", messages }),
    legal: {
      "a text": [chat.user],
      "results in any order, then more": [chat.user, chat.calls, chat.two, chat.one, chat.text, chat.user],
      "calls beside a text": [chat.user, { ...chat.calls, content: "Hm" }, chat.one, chat.two],
      "system messages": [{ role: "system", content: "Be brief." }, chat.user],
    },
    illegal: {
      nothing: [[], /messages/],
      "an unknown role": [[{ role: "function", content: "x" }], /messages\.0\.role/],
      "a call without a result": [[chat.user, chat.calls, chat.one], /call b has no result/],
      "a call whose result comes after a message": [
        [chat.user, chat.calls, chat.one, chat.user, chat.two],
        /call b has no result/,
      ],
      "a result twice": [[chat.user, chat.calls, chat.one, chat.two, chat.two], /result b is used twice/],
      "a result without a call": [[chat.user, chat.one], /no tool_calls before it contain a/],
      "a result of an earlier call": [
        [chat.user, chat.calls, chat.one, chat.two, chat.text, chat.one],
        /no tool_calls before it contain a/,
      ],
      "a call id twice": [
        [chat.user, chat.calls, chat.one, chat.two, chat.calls, chat.one, chat.two],
        /tool_calls id a is used twice/,
      ],
      "no content": [[chat.user, { role: "assistant", content: null }, chat.user], /neither content/],
      "an empty list of parts": [[{ role: "user", content: [] }], /content/],
      "an empty list of calls": [[chat.user, { ...chat.text, tool_calls: [] }], /tool_calls/],
      "an id of 41 characters": [
        [chat.user, { ...chat.calls, tool_calls: [{ id: "a".repeat(41), ...call }] }],
        /tool_calls\.0\.id/,
      ],
      "arguments that are no object": [
        [
          chat.user,
          { ...chat.text, tool_calls: [{ ...call, id: "a", function: { name: "x", arguments: "[]" } }] },
        ],
        /arguments are not the JSON of an object/,
      ],
      "a name with a dot": [
        [
          chat.user,
          { ...chat.text, tool_calls: [{ ...call, id: "a", function: { name: "x.y", arguments: "{}" } }] },
        ],
        /function\.name/,
      ],
    },
  },
  "Anthropic's messages": {
    format: "anthropic",
    body: (messages) => ({ model: "x", max_tokens: 1, messages }),
    legal: {
      "a text": [{ role: "user", content: "Hello" }],
      "calls, results, then a text": [
        hello,
        message("assistant", words("Hm"), use("a"), use("b")),
        message("user", given("b"), given("a", ""), words("Well?")),
      ],
      "thinking before a text": [hello, message("assistant", thought, words("Hi")), hello],
      "the beginning of an answer": [hello, message("assistant", words("Well"))],
    },
    illegal: {
      nothing: [[], /messages/],
      "an assistant first": [[message("assistant", words("Hi")), hello], /first message is not the user's/],
      "a role twice in a row": [[hello, hello], /same role/],
      "an empty message": [[hello, message("assistant"), hello], /messages\.1 is empty/],
      "an empty text": [[message("user", words(""))], /without a word/],
      "a text of white space": [[hello, message("assistant", words(" \n")), hello], /without a word/],
      "an empty text in a result": [
        [hello, message("assistant", use("a")), message("user", given("a", [words("")]))],
        /tool_result: a text without a word/,
      ],
      "a call without a result": [[hello, message("assistant", use("a")), hello], /call a has no result/],
      "one of two results": [
        [hello, message("assistant", use("a"), use("b")), message("user", given("a"))],
        /call b has no result/,
      ],
      "a result too late": [
        [
          hello,
          message("assistant", use("a")),
          hello,
          message("assistant", words("x")),
          message("user", given("a")),
        ],
        /call a has no result.*result a answers no call/,
      ],
      "a call at the end": [[hello, message("assistant", use("a"))], /no results follow/],
      "a result twice": [
        [hello, message("assistant", use("a")), message("user", given("a"), given("a"))],
        /result a is used twice/,
      ],
      "a result without a call": [[message("user", given("a"))], /result a answers no call/],
      "a text before the results": [
        [hello, message("assistant", use("a")), message("user", words("Hm"), given("a"))],
        /do not come first/,
      ],
      "a call id twice": [
        [
          ...[hello, message("assistant", use("a")), message("user", given("a"))],
          ...[message("assistant", use("a")), message("user", given("a"))],
        ],
        /tool_use id a is used twice/,
      ],
      "an id with a dot": [
        [hello, message("assistant", use("a.b")), message("user", given("a.b"))],
        /content/,
      ],
      "a name with a dot": [
        [hello, message("assistant", use("a", "x.y")), message("user", given("a"))],
        /content/,
      ],
      "arguments as text": [
        [hello, message("assistant", { ...use("a"), input: "{}" }), message("user", given("a"))],
        /content/,
      ],
      "a call by the user": [[message("user", use("a")), message("assistant", words("x"))], /of role user/],
      "a result by the assistant": [[hello, message("assistant", given("a")), hello], /of role assistant/],
      "thinking at the end of a message": [
        [hello, message("assistant", thought), hello],
        /ends with thinking/,
      ],
      "thinking without a signature": [
        [hello, message("assistant", { ...thought, signature: "" }, words("Hi")), hello],
        /content/,
      ],
      "white space at the end": [[hello, message("assistant", words("Well "))], /ends with white space/],
    },
  },
  "Anthropic's messages with thinking": {
    format: "anthropic",
    body: (messages) => ({ model: "x", thinking: { type: "enabled", budget_tokens: 1024 }, messages }),
    legal: {
      "a turn of calls that began with thinking": [
        hello,
        message("assistant", thought, use("a")),
        message("user", given("a")),
      ],
      "an earlier turn of calls without thinking": [
        ...[hello, message("assistant", use("a")), message("user", given("a"))],
        ...[message("assistant", words("Hi")), hello],
      ],
    },
    illegal: {
      "a turn of calls that began without thinking": [
        [hello, message("assistant", use("a")), message("user", given("a"))],
        /expected thinking before the last tool calls, found tool_use/,
      ],
      "the beginning of an answer": [[hello, message("assistant", words("Well"))], /ends with the assistant/],
    },
  },
  "OpenAI's responses": {
    format: "openai-responses",
    body: (input) => ({ model: "x", store: false, input }),
    legal: {
      "a text": [ask],
      "reasoning, calls and outputs": [
        ask,
        reasoning,
        fn,
        { ...fn, call_id: "b" },
        { ...output, call_id: "b" },
        output,
      ],
      "reasoning and a reply": [ask, reasoning, reply, ask],
    },
    illegal: {
      nothing: [[], /input/],
      "a call without an output": [[ask, fn, ask], /function call a has no output/],
      "an output without a call": [[ask, output], /No function call before the output a/],
      "an output before its call": [[ask, output, fn], /No function call before the output a/],
      "a call twice": [[ask, fn, output, fn], /function_call a is used twice/],
      "an output twice": [[ask, fn, output, output], /function_call_output a is used twice/],
      "reasoning at the end": [[ask, reasoning], /reasoning without the item/],
      "reasoning before the user": [[ask, reasoning, ask], /reasoning without the item/],
      "reasoning that nobody stored": [
        [ask, { ...reasoning, encrypted_content: null }, reply],
        /neither stored nor sent encrypted/,
      ],
      "a reference to what nobody stored": [[ask, { type: "item_reference", id: "msg_1" }], /is not stored/],
      "arguments that are no JSON": [[ask, { ...fn, arguments: "{" }, output], /input\.1/],
      "a name with a dot": [[ask, { ...fn, name: "x.y" }, output], /input\.1/],
      "an id of 65 characters": [[ask, { ...fn, call_id: "a".repeat(65) }], /input\.1/],
    },
  },
  "Google's generateContent": {
    format: "google",
    body: (contents) => ({ contents }),
    path: "/v1/models/gemini-2.5-flash:streamGenerateContent",
    legal: {
      "a text": [content("user", text)],
      "calls and responses, then a text": [
        ...[content("user", text), content("model", text, functionCall("a"), functionCall("b"))],
        ...[content("user", functionResponse("a"), functionResponse("b")), content("user", text)],
      ],
    },
    illegal: {
      nothing: [[], /contents/],
      "an unknown role": [[content("assistant", text)], /contents\.0\.role/],
      "the model first": [[content("model", text), content("user", text)], /first content is not the user's/],
      "the model last": [[content("user", text), content("model", text)], /last content is not the user's/],
      "an empty content": [[content("user")], /contents\.0\.parts/],
      "an empty text": [[content("user", { text: "" })], /exactly one kind of data/],
      "a part without data": [[content("user", { thought: true })], /exactly one kind of data/],
      "the model twice in a row": [
        [
          content("user", text),
          content("model", text),
          content("model", functionCall("a")),
          content("user", functionResponse("a")),
        ],
        /two contents of the model in a row/,
      ],
      "fewer responses than calls": [
        [
          content("user", text),
          content("model", functionCall("a"), functionCall("b")),
          content("user", functionResponse("a")),
        ],
        /2 function calls, then 1 function responses/,
      ],
      "a call without a response": [
        [content("user", text), content("model", functionCall("a")), content("user", text)],
        /1 function calls, then 0 function responses/,
      ],
      "a text among the responses": [
        [
          content("user", text),
          content("model", functionCall("a")),
          content("user", functionResponse("a"), text),
        ],
        /other parts among/,
      ],
      "responses in another order": [
        [
          ...[content("user", text), content("model", functionCall("a", "one"), functionCall("b", "two"))],
          content("user", functionResponse("b", "two"), functionResponse("a", "one")),
        ],
        /in another place/,
      ],
      "a response without a call": [
        [content("user", text), content("model", text), content("user", functionResponse("a"))],
        /without function calls before them/,
      ],
      "a call by the user": [
        [content("user", functionCall("a")), content("user", functionResponse("a"))],
        /of role user/,
      ],
      "a call id twice": [
        [
          ...[
            content("user", text),
            content("model", functionCall("a")),
            content("user", functionResponse("a")),
          ],
          ...[content("model", functionCall("a")), content("user", functionResponse("a"))],
        ],
        /functionCall id a is used twice/,
      ],
      "a name that begins with a digit": [
        [
          content("user", text),
          content("model", functionCall("a", "1x")),
          content("user", functionResponse("a", "1x")),
        ],
        /functionCall\.name/,
      ],
    },
  },
  "Google's generateContent with Gemini 3": {
    format: "google",
    body: (contents) => ({ contents }),
    path: "/v1/models/gemini-3-pro-preview:streamGenerateContent",
    legal: {
      "signed calls in every step": [
        ...[content("user", text), content("model", signed, functionCall("b"))],
        content("user", functionResponse("a"), functionResponse("b")),
      ],
      "calls without a signature in an earlier turn": [
        ...[
          content("user", text),
          content("model", functionCall("a")),
          content("user", functionResponse("a")),
        ],
        content("user", text),
      ],
    },
    illegal: {
      "a step whose first call has no signature": [
        [content("user", text), content("model", functionCall("a")), content("user", functionResponse("a"))],
        /contents\.1: the function call has no thoughtSignature/,
      ],
    },
  },
};

for (const [rules, { format, body, path = "", legal, illegal }] of Object.entries(cases)) {
  describe(`the rules of ${rules}`, () => {
    for (const [title, conversation] of Object.entries(legal)) {
      test(`${rules} may contain ${title}`, () => {
        assert.deepEqual(formats[format].problems(body(conversation), path), []);
      });
    }
    for (const [title, [conversation, problem]] of Object.entries(illegal)) {
      test(`${rules} may not contain ${title}`, () => {
        assert.match(formats[format].problems(body(conversation), path).join("; "), problem);
      });
    }
  });
}

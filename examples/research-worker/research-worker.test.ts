import assert from "node:assert/strict";
import { join } from "node:path";
import { offered, promptOf, requested, resultsFor, runProgram, startExample } from "@muster/example-testing";
import { test } from "vitest";

const report = {
  title: "Why the night is dark",
  answer: "The universe has a finite age.",
  findings: [
    { statement: "Light had no time.", confidence: "high", sources: ["https://example.org/olbers"] },
  ],
  openQuestions: [],
};
const input = { QUESTION: "Why is the sky dark at night?", MAX_SOURCES: 2 };

test("a question is researched with the caller's tools and returns a report with its cost", async (t) => {
  const example = await startExample(t, import.meta.dirname, [
    {
      check: (request) => {
        assert.deepEqual(offered(request).sort(), ["platform_todo_write", "read-page", "search-web"]);
        assert.match(promptOf(request), /Read at most 2 pages[\s\S]*Why is the sky dark at night\?/);
      },
      parts: [{ toolCall: { name: "search-web", arguments: { query: "Olbers' paradox" } } }],
      usage: { inputTokens: 100, outputTokens: 10 },
    },
    {
      check: (request) => assert.match(promptOf(request), /example\.org/),
      parts: [{ text: "Finite age: https://example.org/olbers (sure)" }],
      usage: { inputTokens: 200, outputTokens: 20 },
    },
    {
      check: (request) => {
        assert.deepEqual(offered(request), []);
        assert.match(promptOf(request), /You write short reports[\s\S]*Finite age: https/);
        assert.doesNotMatch(
          promptOf(request),
          /a snippet is not a source/,
          "the writer has seen only the notes",
        );
      },
      parts: [{ text: JSON.stringify(report) }],
      usage: { inputTokens: 300, outputTokens: 30 },
    },
  ]);
  const started = await example.execute({ type: "start", input });
  assert.equal(started[0]?.type, "start");
  const executionId = started[0]?.executionId;
  assert.deepEqual(requested(started)[0]?.args, { query: "Olbers' paradox" });

  const toolResults = resultsFor(started, [{ url: "https://example.org/olbers" }]);
  const ended = await example.execute({ type: "continue", executionId, toolResults });
  const result = ended.find(({ type }) => type === "worker-result");
  assert.deepEqual(result?.output, report);
  const usage = ended.at(-1);
  assert.equal(usage?.type, "usage");
  assert.deepEqual(usage?.tokens, { inputTokens: 600, outputTokens: 60, totalTokens: 660 });
});

test("a worker without its question is not started", async (t) => {
  const example = await startExample(t, import.meta.dirname, []);
  const body = { type: "start", input: {} };
  const refused = await example.client.json(400, "POST", `/api/agents/${example.agentId}/execute`, body);
  assert.equal(refused.code, "INVALID_INPUT");
});

const program = join(import.meta.dirname, "run.mjs");

/** Replaces Wikipedia in the program's process. */
const wikipedia = `const { fetch } = globalThis;
globalThis.fetch = async (url, request) => {
  const { host, searchParams } = new URL(url);
  if (host !== "en.wikipedia.org") return fetch(url, request);
  const search = [{ title: "Olbers' paradox", snippet: "<b>dark</b> sky" }];
  const pages = [{ extract: "Read: " + searchParams.get("titles") }];
  return Response.json({ query: searchParams.has("srsearch") ? { search } : { pages } });
};`;

test("run.mjs executes the tools on Wikipedia and prints the report and any failures", async (t) => {
  const page = (url: string) => ({ name: "read-page", arguments: { url } });
  const example = await startExample(t, import.meta.dirname, [
    { parts: [{ toolCall: { name: "search-web", arguments: { query: "dark sky" } } }] },
    {
      check: (request) => assert.match(promptOf(request), /wiki\/Olbers'_paradox.*dark sky/s),
      parts: [
        { toolCalls: [page("https://en.wikipedia.org/wiki/Olbers'_paradox"), page("https://example.org/")] },
      ],
    },
    {
      check: (request) => assert.match(promptOf(request), /Read: Olbers'_paradox.*Only pages of/s),
      parts: [{ text: "Finite age" }],
    },
    { parts: [{ text: JSON.stringify(report) }] },
  ]);
  const imports = ["--import", `data:text/javascript,${encodeURIComponent(wikipedia)}`];
  const { code, stdout, stderr } = await runProgram(program, imports, example.env);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), report);
  assert.match(stderr, /^\[search-web .*\n[\s\S]*failed: Only pages of[\s\S]*\n\d+ tokens, [\d.]+ USD\n$/);
});

test("run.mjs reports in one line why it cannot run", async () => {
  const keyless = await runProgram(program, [], {});
  assert.deepEqual([keyless.code, /^Set MUSTER_API_KEY.*\n$/.test(keyless.stderr)], [1, true]);
  const env = { MUSTER_API_KEY: "svc_sk_x", MUSTER_URL: "http://127.0.0.1:9" };
  const alone = await runProgram(program, [], env);
  assert.deepEqual([alone.code, /^Cannot reach Muster at .*\n$/.test(alone.stderr)], [1, true], alone.stderr);
});

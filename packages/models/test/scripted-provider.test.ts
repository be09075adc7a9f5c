import assert from "node:assert/strict";
import { test } from "vitest";
import { type ScriptedStep, startScriptedProvider } from "./support/scripted-provider.ts";

/** Runs a script as its own test would, and returns the error that its end throws. */
async function play(
  steps: ScriptedStep[],
  act: (url: string, provider: Awaited<ReturnType<typeof startScriptedProvider>>) => Promise<unknown>,
): Promise<unknown> {
  const after: Array<() => void | Promise<void>> = [];
  const provider = await startScriptedProvider(
    { onTestFinished: (fn) => void after.push(fn) },
    { format: "openai", steps },
  );
  await act(`${provider.baseUrl}/chat/completions`, provider);
  try {
    for (const fn of after) await fn();
    return undefined;
  } catch (error) {
    return error;
  }
}

const ask = (url: string, messages: unknown = [{ role: "user", content: "Hello" }]) =>
  fetch(url, { method: "POST", body: JSON.stringify({ model: "x", messages }) }).then((response) =>
    response.text(),
  );

test("a script whose steps were all used by expected requests passes the test", async () => {
  assert.equal(await play([{ parts: [{ text: "Hi" }] }], (url) => ask(url)), undefined);
});

test("a scripted step that was never used fails the test", async () => {
  assert.match(String(await play([{ parts: [{ text: "Hi" }] }], async () => {})), /1 steps were never used/);
});

test("a request to the scripted provider without a step or at another path fails the test", async () => {
  assert.match(String(await play([], (url) => ask(url))), /No step for POST/);
  assert.match(
    String(await play([], (url) => ask(`${url}/x`))),
    /No step for POST \/v1\/chat\/completions\/x/,
  );
});

test("a conversation that breaks the provider's rules is refused as the provider would, and fails the test", async () => {
  const problem = await play([{ parts: [{ text: "Hi" }] }], async (url) => {
    const answer = await ask(url, [{ role: "tool", tool_call_id: "call_1", content: "7" }]);
    assert.match(answer, /invalid_request_error/);
  });
  assert.match(String(problem), /Request 1 breaks the provider's rules: messages\.0: no tool_calls/);
});

test("a scripted request check that fails also fails the test", async () => {
  const check = () => assert.fail("wrong model");
  assert.match(String(await play([{ parts: [{ text: "Hi" }], check }], (url) => ask(url))), /wrong model/);
});

test("the scripted provider delays a reply until a promise settles, and accepts steps while it runs", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const problem = await play(
    [{ parts: [{ text: "a" }, { until: promise }, { text: "b" }] }],
    async (url, provider) => {
      const answer = ask(url);
      await provider.received(1);
      provider.add({ status: 429 });
      resolve();
      assert.match(await answer, /"content":"a".*"content":"b"/s);
      assert.match(await ask(url), /rate_limit_error/);
    },
  );
  assert.equal(problem, undefined);
});

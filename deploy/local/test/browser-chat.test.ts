import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readAgentFolder } from "@muster/language/folder";
import { freePort, record, startProxy, type TestScope, until } from "@muster/testing";
import { openPage, type Page } from "@muster/testing/browser";
import { describe, test } from "vitest";
import { startTestServer } from "./support/server.ts";

const folder = join(import.meta.dirname, "../../../examples/browser-chat");

/** The example as its README starts it, in front of a Muster whose connections can be cut. */
async function startChat(t: TestScope, settings: { wordDelayMs?: number; tokenSeconds?: number } = {}) {
  const { wordDelayMs = 0, tokenSeconds = 900 } = settings;
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const muster = await startTestServer(t, { CORS_ORIGINS: address, DEMO_WORD_DELAY_MS: String(wordDelayMs) });
  const read = await readAgentFolder(folder);
  assert.ok(read.ok, JSON.stringify(read));
  await muster.client.json(201, "POST", "/api/agents", read.definition);
  const body = { name: "chat", permissions: ["sessions", "mint-tokens"] };
  const key = await muster.client.field("key", 201, "POST", "/api/admin/keys", body);
  const proxy = await startProxy(t, Number(new URL(muster.url).port));
  const env = {
    ...{ MUSTER_URL: muster.url, MUSTER_API_KEY: key, MUSTER_PUBLIC_URL: `http://127.0.0.1:${proxy.port}` },
    ...{ PORT: String(port), TOKEN_SECONDS: String(tokenSeconds) },
  };
  const server = spawn(process.execPath, [join(folder, "server.mjs")], { env, stdio: "pipe" });
  const closed = once(server, "close");
  t.onTestFinished(async () => {
    server.kill();
    await closed;
  });
  server.stderr.pipe(process.stderr);
  await once(createInterface({ input: server.stdout }), "line");
  return { address, proxy, key, muster };
}

const ready = "document.body.dataset.ready === 'true'";
const isIdle = "!document.querySelector('#send').disabled";
const textOf = (selector: string) => `[...document.querySelectorAll('${selector}')].at(-1)?.innerText ?? ''`;
const answer = textOf(".message.assistant");

async function say(page: Page, text: string): Promise<void> {
  await page.evaluate("document.querySelector('#message').focus()");
  await page.type(text);
}

describe("the page of browser-chat", () => {
  test("a visitor chats, the agent calls a tool of the page, and a reload shows the conversation again", async (t) => {
    const { address, key } = await startChat(t);
    const page = await openPage(t, address);
    await page.waitFor(ready);
    await say(page, "Hello <b>there</b>, how are you?");
    await page.waitFor(`${isIdle} && (${answer}).includes('Hello <b>there</b>')`);
    assert.equal(
      await page.evaluate("document.querySelectorAll('#messages b').length"),
      0,
      "no HTML from texts",
    );
    await say(page, "Please use local-time.");
    await page.waitFor(`${isIdle} && document.querySelectorAll('.tool[data-state=done]').length === 1`);
    assert.match(String(await page.evaluate(textOf(".tool"))), /Looking at your clock/);
    if (process.env.SCREENSHOT) await writeFile(process.env.SCREENSHOT, await page.screenshot());
    const before = await page.evaluate("document.querySelectorAll('.message').length");
    await page.go(address);
    await page.waitFor(`${ready} && document.querySelectorAll('.message').length === ${before}`);
    const all = String(
      await page.evaluate(
        "JSON.stringify([document.documentElement.outerHTML, document.cookie, {...localStorage}])",
      ),
    );
    assert.ok(!all.includes(key), "the key never reaches the page");
    assert.ok(!all.includes("svc_et_"), "nor does the token reach the document or the storage");
    await page.evaluate("document.querySelector('#new').click()");
    await page.waitFor(`${isIdle} && document.querySelectorAll('.message').length === 0`);
    assert.deepEqual(page.problems, []);
  });

  test("a connection that is cut in the middle of a reply loses no word of it", async (t) => {
    const { address, proxy } = await startChat(t, { wordDelayMs: 30 });
    const page = await openPage(t, address);
    await page.waitFor(ready);
    const words = Array.from({ length: 60 }, (_, index) => `w${index}`).join(" ");
    await say(page, words);
    for (const word of ["w5", "w25"]) {
      await page.waitFor(`(${answer}).includes('${word} ')`);
      assert.equal(await page.evaluate(isIdle), false, "the reply is still running");
      proxy.restore();
    }
    await page.waitFor(isIdle);
    const text = String(await page.evaluate(answer));
    assert.equal(text.match(/w\d+/g)?.join(" "), words, text);
    assert.equal(await page.evaluate("document.querySelectorAll('.failed').length"), 0);
  });

  test("a message stays in its field until the chat is reachable, and returns to it if its reply does not begin", async (t) => {
    const { address, proxy, muster } = await startChat(t);
    const field = "document.querySelector('#message').value";
    proxy.blackhole();
    const page = await openPage(t, address);
    await page.waitFor("document.querySelector('#status').textContent === 'Connecting …'");
    await say(page, "First");
    assert.equal(await page.evaluate(field), "First");
    proxy.restore();
    await page.waitFor(isIdle);
    assert.equal(await page.evaluate(field), "First");
    await page.press("Enter", 13);
    await page.waitFor(`${isIdle} && (${answer}).includes('You said: First') && ${field} === ''`);
    const { sessions } = record(await muster.client.json(200, "GET", "/api/agent-sessions"));
    assert.ok(Array.isArray(sessions));
    await muster.client.json(200, "DELETE", `/api/agent-sessions/${record(sessions[0]).sessionId}`);
    await say(page, "Second");
    await page.waitFor(`${isIdle} && ${field} === 'Second'`);
    await page.evaluate("document.querySelector('#new').click()");
    await page.waitFor(`${isIdle} && document.querySelectorAll('.message').length === 0`);
    await page.press("Enter", 13);
    await page.waitFor(`${isIdle} && (${answer}).includes('You said: Second') && ${field} === ''`);
  });

  test("a token that expires during a reply is replaced, and the reply continues", async (t) => {
    const { address, muster } = await startChat(t, { wordDelayMs: 60, tokenSeconds: 2 });
    const page = await openPage(t, address);
    await page.waitFor(ready);
    const words = Array.from({ length: 70 }, (_, index) => `w${index}`).join(" ");
    const startMs = Date.now();
    await say(page, words);
    await page.waitFor(`!(${isIdle})`);
    await page.waitFor(isIdle);
    assert.ok(Date.now() - startMs > 2_500, "the reply lasts longer than a token");
    const text = String(await page.evaluate(answer));
    assert.equal(text.match(/w\d+/g)?.join(" "), words, text);
    const { sessions } = record(await muster.client.json(200, "GET", "/api/agent-sessions"));
    assert.ok(Array.isArray(sessions) && sessions.length === 1, "all of it in one session");
  });

  test("the server gives tokens only to its own page, with a strict policy, and the page can be used without a mouse", async (t) => {
    const { address } = await startChat(t);
    for (const path of ["/chat", "/chat/new"]) {
      const response = await fetch(address + path, {
        method: "POST",
        headers: { "sec-fetch-site": "cross-site" },
      });
      assert.equal(response.status, 403);
    }
    const policy = (await fetch(address)).headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    const page = await openPage(t, address);
    await page.waitFor(ready);
    const accessible = await page.evaluate(`({
      log: document.querySelector('[role=log]').getAttribute('aria-live'),
      label: document.querySelector('label').control === document.querySelector('textarea'),
      status: document.querySelector('[role=status]') !== null,
      language: document.documentElement.lang,
      focus: document.activeElement.id,
    })`);
    assert.deepEqual(accessible, {
      log: "polite",
      label: true,
      status: true,
      language: "en",
      focus: "message",
    });
    await until("the page has no problems", () => page.problems.length === 0);
  });
});

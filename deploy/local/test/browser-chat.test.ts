import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readAgentFolder } from "@muster/language/folder";
import { freePort, record, startProxy, type TestProxy, type TestScope } from "@muster/testing";
import { openPage, type Page } from "@muster/testing/browser";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startTestServer, type TestServer } from "./support/server.ts";

const folder = join(import.meta.dirname, "../../../examples/browser-chat");

/** The page's server, as the README of the example starts it. */
async function startPage(t: TestScope, address: string, env: Record<string, string>): Promise<void> {
  const { port } = new URL(address);
  const server = spawn(process.execPath, [join(folder, "server.mjs")], {
    env: { ...env, PORT: port },
    stdio: "pipe",
  });
  const closed = once(server, "close");
  t.onTestFinished(async () => {
    server.kill();
    await closed;
  });
  server.stderr.pipe(process.stderr);
  await once(createInterface({ input: server.stdout }), "line");
}

const status = "document.querySelector('[role=status]').textContent";
const isIdle = `(document.querySelector('[role=log]') !== null && ${status} === '')`;
const textOf = (selector: string) => `[...document.querySelectorAll('${selector}')].at(-1)?.innerText ?? ''`;
const answer = textOf(".message.assistant");
const field = "document.querySelector('#message').value";
const count = (selector: string) => `document.querySelectorAll('${selector}').length`;
const wordsOf = (text: unknown) => String(text).match(/w\d+/g)?.join(" ");

async function say(page: Page, text: string): Promise<void> {
  await page.evaluate("document.querySelector('#message').focus()");
  await page.type(text);
}

async function click(page: Page, selector: string): Promise<void> {
  await page.evaluate(`document.querySelector('${selector}').click()`);
}

describe("the page of browser-chat", () => {
  const scope = suiteScope();
  let muster: TestServer;
  let proxy: TestProxy;
  let key: string;
  let [address, shortLived] = ["", ""];
  let settings: Record<string, string>;

  beforeAll(async () => {
    [address, shortLived] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
    muster = await startTestServer(scope, {
      CORS_ORIGINS: `${address},${shortLived}`,
      DEMO_WORD_DELAY_MS: "30",
    });
    const read = await readAgentFolder(folder);
    assert.ok(read.ok, JSON.stringify(read));
    await muster.client.json(201, "POST", "/api/agents", read.definition);
    const body = { name: "chat", permissions: ["sessions", "mint-tokens", "approve"] };
    key = await muster.client.field("key", 201, "POST", "/api/admin/keys", body);
    // Its connections can be cut.
    proxy = await startProxy(scope, Number(new URL(muster.url).port));
    settings = {
      ...{ MUSTER_URL: muster.url, MUSTER_API_KEY: key },
      MUSTER_PUBLIC_URL: `http://127.0.0.1:${proxy.port}`,
    };
    await startPage(scope, address, settings);
  });

  /** The conversation of a new visitor. */
  async function open(t: TestScope, url = address): Promise<Page> {
    const page = await openPage(t, url);
    await page.waitFor(isIdle);
    return page;
  }

  test("a visitor chats, the agent calls a tool of the page, and a reload shows the conversation again", async (t) => {
    const page = await open(t);
    await say(page, "Hello <b>there</b>, how are you?");
    await page.waitFor(`${isIdle} && (${answer}).includes('Hello <b>there</b>')`);
    assert.equal(await page.evaluate(count("main b")), 0, "no HTML from texts");
    const thoughts = await page.evaluate("document.querySelector('.reasoning').open");
    assert.equal(thoughts, false, "reasoning is collapsed");
    await say(page, "Please use local-time.");
    await page.waitFor(`${isIdle} && ${count(".tool[data-state=done]")} === 1`);
    assert.match(String(await page.evaluate(textOf(".tool"))), /Looking at your clock/);
    const before = await page.evaluate(count(".message"));
    await page.go(address);
    await page.waitFor(`${isIdle} && ${count(".message")} === ${before}`);
    const all = String(
      await page.evaluate(
        "JSON.stringify([document.documentElement.outerHTML, document.cookie, {...localStorage}, {...sessionStorage}])",
      ),
    );
    assert.ok(!all.includes(key), "the key never reaches the page");
    assert.ok(!all.includes("svc_et_"), "nor does the token reach the document or the storage");
    const hosts = await page.evaluate(
      "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))].sort()",
    );
    assert.deepEqual(hosts, [address, settings.MUSTER_PUBLIC_URL].sort(), "no request leaves for elsewhere");
    await click(page, "header button");
    await page.waitFor(`${isIdle} && ${count(".message")} === 0`);
    assert.deepEqual(page.problems, []);
  });

  test("a reply that is cut and whose page is loaded again in the middle loses no word", async (t) => {
    const page = await open(t);
    const words = Array.from({ length: 60 }, (_, index) => `w${index}`).join(" ");
    await say(page, words);
    await page.waitFor(`(${answer}).includes('w5 ')`);
    await page.go(address);
    await page.waitFor(`document.querySelector('main') !== null && (${answer}).includes('w20 ')`);
    proxy.restore();
    await page.waitFor(`${isIdle} && (${answer}).includes('w59')`);
    assert.equal(wordsOf(await page.evaluate(answer)), words);
    assert.equal(await page.evaluate(count(".message")), 2, "the message and its reply, once each");
    assert.equal(await page.evaluate(count(".problem")), 0);
  });

  test("a visitor decides about a call, with its arguments before them, also after a reload", async (t) => {
    const page = await open(t);
    await say(page, "Please set-reminder in 10 minutes.");
    await page.waitFor(`${count(".approval")} === 1`);
    await page.go(address);
    await page.waitFor(`document.querySelector('main') !== null && ${count(".approval")} === 1`);
    assert.match(
      String(await page.evaluate(textOf(".approval"))),
      /Set a reminder in 10 minutes\?[\s\S]*minutes\s+10/,
    );
    await click(page, ".approval .main");
    await page.waitFor(
      `${isIdle} && ${count(".approval")} === 0 && (${answer}).includes('returned remindAt')`,
    );
    await say(page, "Please set-reminder in 20 minutes.");
    await page.waitFor(`${count(".approval")} === 1`);
    await click(page, ".approval .choices button:last-child");
    await page.waitFor(`${isIdle} && (${answer}).includes('denied')`);
    assert.deepEqual(page.problems, []);
  });

  test("a file is uploaded before its message, which shows it, and one of another type is refused by its name", async (t) => {
    const page = await open(t);
    await page.evaluate(`{
      const files = new DataTransfer();
      files.items.add(new File(["Nine to five."], "hours.txt", { type: "text/plain" }));
      files.items.add(new File(["x"], "run.exe", { type: "application/x-msdownload" }));
      const picker = document.querySelector("input[type=file]");
      picker.files = files.files;
      picker.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
    const states = "[...document.querySelectorAll('.uploads li')].map((item) => item.dataset.state).join()";
    await page.waitFor(`${states} === 'done,failed'`);
    assert.match(String(await page.evaluate(textOf(".uploads li"))), /run\.exe\s+Files of this type/);
    await say(page, "Read this.");
    await page.waitFor(`${isIdle} && (${answer}).includes('hours.txt, text/plain, 13 bytes')`);
    assert.equal(await page.evaluate(textOf(".user .file")), "hours.txt");
    assert.equal(await page.evaluate(count(".uploads li")), 0);
  });

  test("a message that begins no reply returns to its field, and a new chat takes it", async (t) => {
    const page = await open(t);
    await say(page, "First");
    await page.waitFor(`${isIdle} && (${answer}).includes('You said: First') && ${field} === ''`);
    const { sessions } = record(await muster.client.json(200, "GET", "/api/agent-sessions"));
    assert.ok(Array.isArray(sessions));
    await muster.client.json(200, "DELETE", `/api/agent-sessions/${record(sessions[0]).sessionId}`);
    await say(page, "Second");
    await page.waitFor(`${count(".problem")} === 1 && ${field} === 'Second'`);
    await click(page, ".problem button");
    await page.waitFor(`${isIdle} && ${count(".message")} === 0`);
  });

  test("a token that expires during a reply is replaced, and the reply continues", async (t) => {
    await startPage(t, shortLived, { ...settings, TOKEN_SECONDS: "2" });
    const page = await open(t, shortLived);
    const words = Array.from({ length: 100 }, (_, index) => `w${index}`).join(" ");
    const startMs = performance.now();
    await say(page, words);
    await page.waitFor(`${isIdle} && (${answer}).includes('w99')`);
    assert.ok(performance.now() - startMs > 2_500, "the reply lasts longer than a token");
    assert.equal(wordsOf(await page.evaluate(answer)), words);
  });

  test("the server gives tokens only to its own page, whose policy is strict and which has no obstacles for its users", async (t) => {
    const post = async (path: string, headers: Record<string, string>) =>
      (await fetch(address + path, { method: "POST", headers })).status;
    for (const path of ["/chat", "/chat/new"]) {
      assert.equal(await post(path, { "sec-fetch-site": "cross-site", origin: address }), 403);
      assert.equal(await post(path, { origin: "http://elsewhere.example" }), 403);
      assert.equal(await post(path, {}), 403);
      assert.equal(await post(path, { origin: address }), 200, "a page without TLS");
    }
    const policy = (await fetch(address)).headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    const page = await open(t);
    assert.equal(await page.evaluate("document.activeElement.id"), "message");
    assert.deepEqual(await page.violations(), []);
    await say(page, "Please set-reminder in 10 minutes.");
    await page.waitFor(`${count(".approval")} === 1`);
    for (const scheme of ["light", "dark"] as const) {
      await page.show({ width: 390, height: 844, scheme, isMobile: true });
      assert.deepEqual(await page.violations(), [], scheme);
    }
    const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    assert.equal(isWide, false, "nothing is wider than the screen");
  });
});

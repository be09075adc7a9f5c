import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Muster } from "@muster/client";
import { type Chats, calls, startChats } from "@muster/local/testing/chats";
import type { TestScope } from "@muster/testing";
import type { Page } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

const reply = (text: string) => ({ parts: [{ text }], usage: { inputTokens: 1_200, outputTokens: 34 } });

/** A session of the agent `desk`, in which a user has said these texts. */
async function converse({ url, key }: Chats, metadata: Record<string, string>, ...texts: string[]) {
  const session = await new Muster({ baseUrl: url, apiKey: key }).sessions.create({
    agentSlug: "desk",
    metadata,
  });
  // Some tests need a failed turn.
  for (const TEXT of texts)
    await session
      .trigger("user-message", { TEXT })
      .text()
      .catch(() => "");
  return session;
}

async function openSession(t: TestScope, chats: Chats, sessionId: string) {
  const page = await openConsole(t, chats, `/sessions/${sessionId}`);
  await page.show({ width: 1440, height: 900 });
  return page;
}

test("the failed session of a user is found by keyboard, and says why it failed and what to do", async (t) => {
  const refused = { status: 401, error: { message: "bad key" } };
  const chats = await startChats(t, [reply("It left Oslo this morning."), refused]);
  await converse(chats, { user: "u2" }, "Where is order 8?");
  await converse(chats, { user: "u1" }, "Where is order 7?");
  const page = await openConsole(t, chats, "/sessions");
  await shows(page, "Where is order 8?");
  await checkPage(page);
  await tabTo(page, "Metadata");
  await page.type("user=u1");
  await page.waitFor("!document.body.innerText.includes('Where is order 8?')");
  assert.equal(await page.evaluate("new URLSearchParams(location.search).get('metadata')"), "user=u1");
  await tabTo(page, "Where is order 7?");
  await page.press("Enter", 13);
  await shows(page, "refused the configured API key");
  await shows(page, "Replace it under Settings");
  await checkPage(page);

  await page.go(`${chats.url}/console/sessions?metadata=user%3Du3`);
  await shows(page, "No session matches");
});

const run = promisify(execFile);

/** How a user runs a copied request. */
const runs = {
  curl: (text: string, key: string) =>
    run("sh", ["-c", text], { env: { ...process.env, MUSTER_API_KEY: key } }),
  TypeScript: (text: string, key: string) =>
    run(process.execPath, ["--conditions=development", "--input-type=module-typescript", "--eval", text], {
      env: { ...process.env, MUSTER_API_KEY: key },
    }),
};

async function copiedFrom(page: Page, button: string): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }; 0");
  await tabTo(page, button);
  await page.press("Enter", 13);
  return String(await page.evaluate("window.copied"));
}

test("the request for a filtered list is copied as a command and as a program, which run elsewhere", async (t) => {
  const chats = await startChats(t, [reply("It left Oslo."), reply("It is in Bergen.")]);
  await converse(chats, { user: "u2" }, "Where is order 8?");
  await converse(chats, { user: "u1" }, "Where is order 7?");
  const page = await openConsole(t, chats, "/sessions?metadata=user%3Du1");
  await shows(page, "Where is order 7?");
  for (const language of ["curl", "TypeScript"] as const) {
    const { stdout } = await runs[language](
      await copiedFrom(page, `Copy Sessions as ${language}`),
      chats.key,
    );
    assert.match(stdout, /Where is order 7\?/);
    assert.doesNotMatch(stdout, /Where is order 8\?/);
  }
});

test("a filter that is cleared by keyboard shows all sessions again", async (t) => {
  const chats = await startChats(t, [reply("It left Oslo this morning.")]);
  await converse(chats, {}, "Where is order 8?");
  const page = await openConsole(t, chats, "/sessions?status=expired&subject=ada");
  await shows(page, "No session matches");
  await tabTo(page, "State");
  await page.press("ArrowUp", 38);
  await page.press("ArrowUp", 38);
  await page.waitFor("location.search === '?subject=ada'");
  await tabTo(page, "Clear");
  await page.press("Enter", 13);
  await page.waitFor("location.search === ''");
  await shows(page, "Where is order 8?");
  await tabTo(page, "Agent");
  await page.press("ArrowDown", 40);
  await page.waitFor("location.search.startsWith('?agentSlug=')");
  await page.press("ArrowUp", 38);
  await page.waitFor("location.search === ''");
  await shows(page, "Where is order 8?");
});

test("a tool is answered by hand, and the turn continues with the result", async (t) => {
  const last = {
    ...reply("It is **on its way**, says [the shop](https://shop.example/7). <b>Bye</b>"),
    check: ({ body }: { body: object }) => assert.match(JSON.stringify(body), /shipped yesterday/),
  };
  const chats = await startChats(t, [calls("get-order", "call_1"), last]);
  const { id } = await converse(chats, { user: "u1" });
  const page = await openSession(t, chats, id);
  await tabTo(page, "Message");
  await page.type("Where is order 7?");
  await shows(page, "waits for its result");
  await checkPage(page);
  await tabTo(page, "Result of get-order");
  await page.type('{ "state": "shipped yesterday" }');
  await tabTo(page, "Send the result");
  await page.press("Enter", 13);
  await shows(page, "on its way");
  await shows(page, "the shop (shop.example)");
  // Markdown of agents is shown, their HTML is text.
  assert.equal(await page.evaluate("document.querySelectorAll('main b').length"), 0);
  await shows(page, "<b>Bye</b>");
  await page.waitFor("document.querySelectorAll('[role=option]').length === 4");
});

test("a text of deeply nested Markdown is shown as plain text", async (t) => {
  const texts = [">".repeat(2000), `${"- ".repeat(1500)}a`, `${"_a_".repeat(8000)}_`];
  const chats = await startChats(t, texts.map(reply));
  const { id } = await converse(chats, { user: "u1" }, "Hi", "Hi", "Hi");
  const page = await openSession(t, chats, id);
  for (const text of texts) await shows(page, text.trim());
});

test("a page that breaks says so and can be loaded again, and the other pages stay in reach", async (t) => {
  const chats = await startChats(t, [reply("Hello.")]);
  await converse(chats, { user: "u1" }, "Where is order 7?");
  const page = await openConsole(t, chats, "/agents");
  await shows(page, "Desk");
  await page.evaluate(`{
    const send = fetch;
    fetch = async (address, init) =>
      String(address).includes("/api/agent-sessions") ? Response.json({ sessions: [null] }) : send(address, init);
  }`);
  await tabTo(page, "Sessions");
  await page.press("Enter", 13);
  await shows(page, "This page is broken");
  await checkPage(page);
  await tabTo(page, "Agents");
  await page.press("Enter", 13);
  await shows(page, "Desk");
  await tabTo(page, "Sessions");
  await page.press("Enter", 13);
  await tabTo(page, "Load it again");
  await page.press("Enter", 13);
  await shows(page, "Where is order 7?");
});

test("a reply leaves a reader who has scrolled up in place, and one at the end follows it", async (t) => {
  const long = "A line of the reply.\n\n".repeat(80);
  const chats = await startChats(t, [reply(long), calls("get-order", "call_1"), reply("The last.")]);
  const { id } = await converse(chats, { user: "u1" }, "Hi");
  const page = await openSession(t, chats, id);
  await shows(page, "A line of the reply.");
  const pane = "document.querySelector('[aria-label=Conversation] > [tabindex]')";
  await tabTo(page, "Message");
  await page.type("Where is order 7?");
  await tabTo(page, "Result of get-order");
  await page.type('"shipped"');
  assert.ok(await page.evaluate(`${pane}.scrollTop > 1000`));
  await page.evaluate(`new Promise((scrolled) => {
    ${pane}.addEventListener("scroll", () => requestAnimationFrame(scrolled), { once: true });
    ${pane}.scrollTop = 100;
  })`);
  // A click without the focus, which would scroll.
  await page.evaluate(
    "[...document.querySelectorAll('button')].find((each) => each.innerText === 'Send the result').click()",
  );
  await page.waitFor(`${pane}.textContent.includes("The last.")`);
  assert.equal(await page.evaluate(`${pane}.scrollTop`), 100);
});

test("a step shows its request and its entries, and an address leads to it", async (t) => {
  const chats = await startChats(t, [reply("Hello there.")]);
  const { id } = await converse(chats, { user: "u1" }, "Hi");
  const page = await openSession(t, chats, id);
  await tabTo(page, "Steps");
  await page.press("ArrowDown", 40);
  await page.press("ArrowDown", 40);
  await shows(page, "1.2k in · 34 out");
  await page.waitFor("location.search.includes('step=log_')");
  await tabTo(page, "Overview");
  await page.press("ArrowRight", 39);
  await page.press("Enter", 13);
  await shows(page, "You help customers.");
  await page.press("ArrowRight", 39);
  await page.press("Enter", 13);
  await shows(page, '"finishReason": "stop"');
  await page.go(String(await page.evaluate("location.href")));
  await shows(page, "1.2k in · 34 out");
});

test("a turn that another client begins is shown, and its approval can be decided", async (t) => {
  const chats = await startChats(t, [
    reply("Hello."),
    calls("refund", "call_1"),
    reply("Order 7 was not refunded."),
  ]);
  const session = await converse(chats, { user: "u1" }, "Hi");
  const page = await openSession(t, chats, session.id);
  await shows(page, "Hello.");
  const turn = session.trigger("user-message", { TEXT: "Refund order 7" }).text();
  await shows(page, "Refund 7");
  await tabTo(page, "Deny");
  await page.press("Enter", 13);
  await shows(page, "Order 7 was not refunded.");
  await shows(page, "approval of refund");
  await turn;
});

test("a failed turn is tried again from its message", async (t) => {
  const chats = await startChats(t, [{ status: 401, error: { message: "bad key" } }, reply("Now it works.")]);
  const { id } = await converse(chats, { user: "u1" }, "Where is order 7?");
  const page = await openSession(t, chats, id);
  await tabTo(page, "Try again from here");
  await page.press("Enter", 13);
  await shows(page, "goes back to before this turn");
  await page.press("Tab", 9);
  await page.press("Enter", 13);
  await shows(page, "Now it works.");
  const { messages } = Object(
    await new Muster({ baseUrl: chats.url, apiKey: chats.key }).sessions.open(id).get(),
  );
  assert.equal(messages.length, 2);
});

test("a deleted session and an unknown one say so, and lead back", async (t) => {
  const chats = await startChats(t, [reply("Hello.")]);
  const { id } = await converse(chats, { user: "u1" }, "Hi");
  const page = await openSession(t, chats, id);
  await tabTo(page, "Delete");
  await page.press("Enter", 13);
  await shows(page, "Delete this session?");
  await page.press("Tab", 9);
  await page.press("Enter", 13);
  await shows(page, "This session has ended");
  await checkPage(page);
  await page.go(`${chats.url}/console/sessions/ses_unknown`);
  await shows(page, "There is no session ses_unknown");
  await tabTo(page, "All sessions");
  await page.press("Enter", 13);
  await shows(page, "expired");
});

test("a change reads the pages in view again, and none of the others that are loaded", async (t) => {
  const chats = await startChats(t);
  const muster = new Muster({ baseUrl: chats.url, apiKey: chats.key });
  const create = () => muster.sessions.create({ agentSlug: "desk" });
  for (let made = 0; made < 220; made += 20) await Promise.all(Array.from({ length: 20 }, create));
  const page = await openConsole(t, chats, "/sessions");
  const reads = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("agent-sessions?")).length`;
  const height = (rows: number) => `document.querySelector("[role=rowgroup]")?.scrollHeight >= ${rows} * 40`;
  for (const rows of [200, 220]) {
    await page.waitFor("document.querySelectorAll('[role=rowgroup] [role=row]').length > 5");
    await page.evaluate("document.querySelector('[role=rowgroup]').scrollTop = 1e6");
    await page.waitFor(height(rows));
  }
  await page.evaluate("document.querySelector('[role=rowgroup]').scrollTop = 0");
  await page.waitFor("document.querySelector('[aria-rowindex=\"2\"]') !== null");
  const before = Number(await page.evaluate(reads));
  await muster.sessions.create({ agentSlug: "desk", metadata: { user: "newest" } });
  await shows(page, "user=newest");
  assert.ok(await page.evaluate(height(221)), "the other pages stay");
  assert.ok(Number(await page.evaluate(reads)) - before < 3);
});

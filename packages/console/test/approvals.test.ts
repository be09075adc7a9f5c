import assert from "node:assert/strict";
import { type Chats, calls, startChats } from "@muster/local/testing/chats";
import { type TestScope, until } from "@muster/testing";
import type { Page } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

const codes = { a: 65, d: 68, e: 69, j: 74, r: 82 } as const;

/** A server at which refunds of these orders wait for a decision. The model answers a denial. */
async function startWaiting(t: TestScope, numbers: readonly string[], denials = 0) {
  const steps = numbers.map((number) => calls("refund", `call-${number}`, number));
  const answers = Array.from({ length: denials }, () => ({ parts: [{ text: "I am sorry." }] }));
  const server = await startChats(t, [...steps, ...answers]);
  const ids: string[] = [];
  for (const number of numbers) ids.push(await ask(server, `Please refund order ${number}.`));
  return { server, ids };
}

/** Scripts of the model have to be used up. */
function hasAnswered({ provider }: Chats, requests: number): Promise<void> {
  return until("the model has answered", () => provider.requests.length === requests);
}

async function ask({ client, agentId }: Chats, text: string): Promise<string> {
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const body = {
    ...{ triggerName: "user-message", input: { TEXT: text }, stream: false },
    sender: { id: "u_7", name: "Ada" },
  };
  await client.json(200, "POST", `/api/agent-sessions/${sessionId}/trigger`, body);
  const { approvals } = await client.json(200, "GET", `/api/approvals?sessionId=${sessionId}`);
  assert.ok(Array.isArray(approvals));
  return approvals[0].approvalId;
}

const decided = ({ client }: Chats, approvalId: string) =>
  client.json(200, "GET", `/api/approvals/${approvalId}`);

const press = (page: Page, key: keyof typeof codes) => page.press(key, codes[key]);

/** The page reads approvals again only after it has decided. */
const learnLate = `{
  const { fetch } = window;
  const { promise, resolve } = Promise.withResolvers();
  window.fetch = async (input, init) => {
    const isDecision = init?.method === "POST";
    if (!isDecision && String(input).includes("/api/approvals")) await promise;
    const response = await fetch(input, init);
    if (isDecision) resolve();
    return response;
  };
}`;

test("a refund is approved with edited arguments by keyboard alone, and its change is shown before", async (t) => {
  const { server, ids } = await startWaiting(t, ["7", "8"]);
  const [first = "", second = ""] = ids;
  const page = await openConsole(t, server, "/approvals");
  await shows(page, "Please refund order 7.");
  assert.equal(await page.evaluate("location.pathname"), `/console/approvals/${first}`);
  await checkPage(page);
  await press(page, "r");
  await shows(page, '"number": "7"');
  await press(page, "e");
  await page.waitFor("document.activeElement?.value === '7'");
  await page.evaluate("document.execCommand('insertText', false, '0')");
  await page.waitFor("document.querySelector('del')?.textContent === '\"7\"'");
  await checkPage(page);
  const edited = await page.evaluate("document.activeElement.value");
  assert.equal((await decided(server, first)).status, "pending");
  await page.press("Enter", 13);
  await until("it is approved", async () => (await decided(server, first)).status === "approved");
  assert.deepEqual((await decided(server, first)).editedArgs, { number: edited });
  await page.waitFor(`location.pathname.endsWith(${JSON.stringify(second)})`);
  await shows(page, "You have approved Refund 7");
});

test("a key decides neither while it is kept down nor while an edit is open", async (t) => {
  const { server, ids } = await startWaiting(t, ["7", "8"]);
  const [first = "", second = ""] = ids;
  const page = await openConsole(t, server, `/approvals/${first}`);
  await shows(page, "Please refund order 7.");
  await press(page, "e");
  await page.waitFor("document.activeElement?.value === '7'");
  await page.evaluate("document.activeElement.blur()");
  await press(page, "a");
  await tabTo(page, "Cancel");
  await page.press("Enter", 13);
  await page.evaluate(`for (let presses = 0; presses < 20; presses++)
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", repeat: true, bubbles: true }))`);
  // A decision would have replaced the arguments by its outcome.
  await press(page, "r");
  await shows(page, '"number": "7"');
  assert.equal((await decided(server, first)).status, "pending");
  await press(page, "a");
  await until("it is approved", async () => (await decided(server, first)).status === "approved");
  await page.waitFor(`location.pathname.endsWith(${JSON.stringify(second)})`);
});

test("a call is denied with a reason, and the list of decisions says who, when and why", async (t) => {
  const { server, ids } = await startWaiting(t, ["7", "8"], 1);
  const [, second = ""] = ids;
  const page = await openConsole(t, server, "/approvals");
  await shows(page, "Please refund order 7.");
  await press(page, "j");
  await shows(page, "Please refund order 8.");
  await press(page, "d");
  await page.waitFor("document.activeElement?.tagName === 'INPUT'");
  await page.type("Too late for a refund.");
  await until("it is denied", async () => (await decided(server, second)).status === "denied");
  assert.equal((await decided(server, second)).message, "Too late for a refund.");
  await hasAnswered(server, 3);
  await tabTo(page, "Decided");
  await page.press("Enter", 13);
  await shows(page, "denied");
  await checkPage(page);
  await tabTo(page, "Refund 8");
  await page.press("Enter", 13);
  await shows(page, "Too late for a refund.");
  await shows(page, "you");
  await checkPage(page);
});

test("a decision after another user's says that it has changed nothing", async (t) => {
  const { server, ids } = await startWaiting(t, ["7"], 1);
  const page = await openConsole(t, server, `/approvals/${ids[0]}`);
  await shows(page, "Please refund order 7.");
  await page.evaluate(learnLate);
  await server.client.json(200, "POST", `/api/approvals/${ids[0]}`, { decision: "deny" });
  await press(page, "a");
  await shows(page, "Yours changed nothing.");
  await checkPage(page);
  assert.equal((await decided(server, ids[0] ?? "")).status, "denied");
  await hasAnswered(server, 2);
});

test("without a call that waits, the inbox says how a tool asks", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/approvals");
  await shows(page, "Nothing waits for a decision");
  await checkPage(page);
});

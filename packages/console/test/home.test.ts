import assert from "node:assert/strict";
import { calls, startChats } from "@muster/local/testing/chats";
import { startTestServer } from "@muster/local/testing/server";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

test("a new installation shows the first commands and ticks each as it happens, without a reload", async (t) => {
  const server = await startTestServer(t);
  const page = await openConsole(t, server);
  await shows(page, "Welcome to Muster");
  await checkPage(page);
  const ticks = () => page.evaluate("document.body.innerText.split('(done)').length - 1");
  assert.equal(await ticks(), 1);
  await server.client.field("agentId", 201, "POST", "/api/agents", {
    settings: { slug: "hello", name: "Hello", format: "interactive" },
    protocol: [
      "agent: { model: demo/echo, system: s }",
      "triggers: { user-message: {} }",
      "handlers: { user-message: { Answer: { block: next-message } } }",
    ].join("\n"),
    prompts: [{ name: "s", content: "Hello" }],
  });
  await page.waitFor("!document.body.innerText.includes('Welcome to Muster')");
  await shows(page, "Nothing needs you");
});

test("a decision that waits is on the home page, and Enter on it opens it", async (t) => {
  const { client, agentId, ...server } = await startChats(t, [calls("refund", "call_1")]);
  const page = await openConsole(t, server);
  await shows(page, "Nothing needs you");
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const trigger = { triggerName: "user-message", input: { TEXT: "Refund 7" }, stream: false };
  await client.json(200, "POST", `/api/agent-sessions/${sessionId}/trigger`, trigger);
  await shows(page, "Refund 7");
  await checkPage(page);
  await tabTo(page, "Refund 7");
  await page.press("Enter", 13);
  await page.waitFor("location.pathname.startsWith('/console/approvals/')");
});

test("a number that cannot be read says so, and the part that needs it offers another try", async (t) => {
  const { client: _, ...server } = await startChats(t, []);
  const page = await openConsole(t, server);
  await shows(page, "Nothing needs you");
  const refusal = { error: "The service of approvals is not here.", code: "NOT_FOUND", requestId: "req_1" };
  await page.before(`const asked = fetch; var isRefused = true;
    window.fetch = (url, init) => !String(url).includes("/api/approvals") || !isRefused ? asked(url, init) :
      Promise.resolve(new Response(${JSON.stringify(JSON.stringify(refusal))},
        { status: 404, headers: { "content-type": "application/json" } }))`);
  await page.go(`${server.url}/console`);
  await shows(page, "This could not be read.");
  await shows(page, refusal.error);
  await checkPage(page);
  await page.evaluate("window.isRefused = false");
  await tabTo(page, "Try again");
  await page.press("Enter", 13);
  await shows(page, "No call waits for you");
  await shows(page, "Nothing needs you");
});

test("an address that the console does not have says so, and leads home", async (t) => {
  const server = await startTestServer(t);
  const page = await openConsole(t, server, "/nowhere");
  await shows(page, "The console has no such page");
  await checkPage(page);
  // The first link with this name is in the navigation.
  await page.evaluate("document.querySelector('main a').focus()");
  await page.press("Enter", 13);
  await shows(page, "Welcome to Muster");
});

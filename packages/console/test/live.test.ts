import assert from "node:assert/strict";
import { startChats } from "@muster/local/testing/chats";
import { startProxy } from "@muster/testing";
import { test } from "vitest";
import { openConsole, shows } from "./support/open-console.ts";

test("two tabs show a change that one of many clients has made, and a cut connection shows, heals and misses nothing", async (t) => {
  const { client, agentId, url, key } = await startChats(t);
  const proxy = await startProxy(t, Number(new URL(url).port));
  const direct = await openConsole(t, { url, key }, "/sessions");
  const cut = await openConsole(t, { url: `http://127.0.0.1:${proxy.port}`, key }, "/sessions");
  const create = (title: string) =>
    client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId, metadata: { title } });
  for (const page of [direct, cut]) await shows(page, "There are no sessions yet");
  const rows = "document.querySelectorAll('[data-row]').length";
  await create("one");
  for (const page of [direct, cut]) await page.waitFor(`${rows} === 1`);
  proxy.blackhole();
  await create("two");
  await direct.waitFor(`${rows} === 2`);
  assert.equal(await cut.evaluate(rows), 1);
  proxy.restore();
  await cut.waitFor(`${rows} === 2`);
  await cut.waitFor("!document.body.innerText.includes('connection to the server is lost')");
});

test("a hidden tab ends its connection, and has missed nothing once it is shown", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/sessions");
  await shows(page, "There are no sessions yet");
  const hide = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
  await hide(true);
  // The browser lists a request once it has ended.
  await page.waitFor(
    "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/api/changes'))",
  );
  await server.client.json(201, "POST", "/api/agent-sessions", { agentId: server.agentId });
  await hide(false);
  await page.waitFor("document.querySelectorAll('[data-row]').length === 1");
});

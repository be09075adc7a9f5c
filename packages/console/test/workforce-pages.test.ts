import assert from "node:assert/strict";
import { startChats } from "@muster/local/testing/chats";
import { until } from "@muster/testing";
import type { Page } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";
import { ended, give, hire, runs, says } from "./support/workforce.ts";

const enter = (page: Page) => page.press("Enter", 13);

test("the pages of the workforce are usable on every screen", async (t) => {
  const server = await startChats(t, [runs("ls --color=always nowhere"), says("There is *nothing*.")]);
  const lou = await hire(server, "Lou Moss");
  const thread = await give(server, lou, "What is there?");
  await ended(server, lou, thread);
  const computer = { name: "Build machine", kind: "dedicated", os: "linux" };
  const computerId = await server.client.field("id", 201, "POST", "/api/admin/computers", computer);
  const page = await openConsole(t, server, "/workforce");
  const addresses = [
    ["", "What is there?"],
    [`/${lou}`, "Nothing is running or waiting."],
    [`/${lou}/settings`, "Fire Lou Moss"],
    [`/${lou}/keys`, "never used"],
    [`/${lou}/threads/${thread}`, "exit"],
    ["/hire", "Site checker"],
    ["/computers", "Build machine"],
    [`/computers/${computerId}`, "There are no tokens."],
  ];
  for (const [address, text = ""] of addresses) {
    await page.go(`${server.url}/console/workforce${address}`);
    await shows(page, text);
    await checkPage(page);
  }
});

test("settings that were changed elsewhere are neither overwritten nor lost, and a refusal is at its field", async (t) => {
  const server = await startChats(t);
  const lou = await hire(server);
  const managed = `/api/admin/workforce/agents/${lou}`;
  const page = await openConsole(t, server, `/workforce/${lou}/settings`);
  await shows(page, "Fire Lou");
  await tabTo(page, "Name");
  await page.insert("Lo");
  await tabTo(page, "Pause");
  await enter(page);
  await tabTo(page, "Resume");
  assert.equal(await page.evaluate("document.querySelector('input[name=name]').value"), "Lo");
  assert.equal(await page.evaluate("document.body.innerText.includes('changed elsewhere')"), false);
  await server.client.json(200, "PATCH", managed, { name: "Louise" });
  await shows(page, "This has changed elsewhere since you opened it.");
  await tabTo(page, "US dollars");
  await page.type("12");
  await page.waitFor("document.querySelector('[role=alert]')?.innerText.includes('VERSION_MISMATCH')");
  await tabTo(page, "Discard my changes");
  await enter(page);
  await page.waitFor("document.querySelector('input[name=name]').value === 'Louise'");
  await tabTo(page, "US dollars");
  await page.type("-3");
  await page.waitFor("document.activeElement.ariaInvalid === 'true'");
  await page.evaluate("document.activeElement.select()");
  await page.type("12");
  const limitOf = async () =>
    Reflect.get(Object((await server.client.json(200, "GET", managed)).limits), "monthlyUsd");
  await until("the limit is stored", async () => (await limitOf()) === 12);
});

test("the page of a teammate that someone else has fired says so", async (t) => {
  const server = await startChats(t);
  const lou = await hire(server);
  const page = await openConsole(t, server, `/workforce/${lou}`);
  await shows(page, "Nothing is running or waiting.");
  await server.client.json(200, "DELETE", `/api/admin/workforce/agents/${lou}`);
  await shows(page, "This teammate does not exist");
  await tabTo(page, "All teammates");
  await enter(page);
  await shows(page, "There are no teammates yet");
});

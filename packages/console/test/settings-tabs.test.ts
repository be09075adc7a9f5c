import assert from "node:assert/strict";
import { startChats } from "@muster/local/testing/chats";
import { until } from "@muster/testing";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

test("a token is minted and revoked by keyboard", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/settings/tokens");
  await tabTo(page, "Mint the token");
  await page.press("Enter", 13);
  await shows(page, "shown only once");
  const token = String(await page.evaluate("document.querySelector('[role=status] code').textContent"));
  await checkPage(page);
  await tabTo(page, "Id of the token, or the token itself");
  await page.type(token);
  await shows(page, "The token no longer works.");
});

test("rules and limits of a project are saved, and each refusal is at its field", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/settings/projects?project=default");
  await tabTo(page, "Approval rules");
  await page.insert("refund: perhaps");
  await tabTo(page, "US dollars a month");
  await page.type("much");
  await page.waitFor(
    "JSON.stringify([...document.querySelectorAll('[aria-invalid=true]')].map(({ name }) => name)) === '[\"approvals\",\"limits.monthlyUsd\"]'",
  );
  await checkPage(page);
  await page.evaluate("document.querySelector('[name=approvals]').select()");
  await page.insert("refund: ask");
  await tabTo(page, "US dollars a month");
  await page.evaluate("document.activeElement.select()");
  await page.type("25");
  await page.waitFor("document.querySelector('[aria-invalid=true]') === null");
  await page.go(`${server.url}/console/settings/limits`);
  await shows(page, "of $25.00");
  await checkPage(page);
});

test("the audit log shows who has changed what, and filters by the address", async (t) => {
  const server = await startChats(t);
  const path = "/api/admin/audit?action=agent.create";
  await until("the entry is in the log", async () => {
    const { entries } = await server.client.json(200, "GET", path);
    return Array.isArray(entries) && entries.length === 1;
  });
  const page = await openConsole(t, server, "/settings/audit?action=agent.create");
  await page.waitFor("document.querySelectorAll('[role=row] a').length === 1");
  await tabTo(page, "agent.create");
  await page.press("Enter", 13);
  await shows(page, server.agentId.slice(0, 8));
  await tabTo(page, "The entry as JSON");
  await page.press("Enter", 13);
  await shows(page, '"action": "agent.create"');
  await checkPage(page);
  assert.match(String(await page.evaluate("location.search")), /entry=aud_/);
  await tabTo(page, "Target");
  await page.type("nothing");
  await shows(page, "No change matches");
});

test("a project that was changed elsewhere is not overwritten: the form says so and can keep its own", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/settings/projects?project=default");
  await tabTo(page, "Approval rules");
  await page.insert("refund: ask");
  await server.client.field("name", 200, "PATCH", "/api/admin/projects/default", { name: "Renamed" });
  await shows(page, "This has changed elsewhere since you opened it.");
  await tabTo(page, "Save");
  await page.press("Enter", 13);
  await shows(page, "VERSION_MISMATCH");
  assert.equal(await page.evaluate("document.querySelector('[name=approvals]').value"), "refund: ask");
  await tabTo(page, "Keep my changes");
  await page.press("Enter", 13);
  await tabTo(page, "Save");
  await page.press("Enter", 13);
  await until("mine is stored", async () => {
    const { projects } = await server.client.json(200, "GET", "/api/admin/projects");
    return JSON.stringify(projects).includes('"refund":"ask"');
  });
});

test("a key sees only the tabs that it may use, and a deleted key's address says that it does not exist", async (t) => {
  const server = await startChats(t);
  const key = await server.client.field("key", 201, "POST", "/api/admin/keys", {
    ...{ name: "Storefront", permissions: ["mint-tokens"] },
  });
  const page = await openConsole(t, { url: server.url, key: String(key) }, "/settings");
  await shows(page, "Slug of the agent");
  assert.deepEqual(
    await page.evaluate(
      "[...document.querySelectorAll('nav[aria-label=Settings] a')].map((tab) => tab.innerText)",
    ),
    ["Tokens"],
  );
  const other = await openConsole(t, server, "/settings/keys?key=key_unknown");
  await shows(other, "This key does not exist");
});

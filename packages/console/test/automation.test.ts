import assert from "node:assert/strict";
import { type Chats, startChats } from "@muster/local/testing/chats";
import { record, serve, until } from "@muster/testing";
import type { Page } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

const enter = (page: Page) => page.press("Enter", 13);

/** Types without Enter, which would send the form. */
async function write(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await page.evaluate(`document.execCommand("selectAll"),
    document.execCommand("insertText", false, ${JSON.stringify(text)})`);
}

function hire({ client }: Chats): Promise<string> {
  const body = { name: "Lou", prebuilt: "log-analyst", settings: { model: "local/scripted" } };
  return client.field("agentId", 201, "POST", "/api/admin/workforce/agents", body);
}

async function listOf({ client }: Chats, path: string, field: string) {
  const list = (await client.json(200, "GET", path))[field];
  assert.ok(Array.isArray(list));
  return list.map(record);
}

test("a schedule with a wrong cron shows the refusal at its field, and is created once it is right", async (t) => {
  const server = await startChats(t);
  const path = `/api/admin/workforce/agents/${await hire(server)}/schedules`;
  const page = await openConsole(t, server, "/automation");
  await shows(page, "No schedule exists yet");
  await checkPage(page);
  await tabTo(page, "New schedule");
  await enter(page);
  await write(page, "Name", "Report");
  await write(page, "Time zone", "Europe/Berlin");
  await write(page, "Message", "Report the failures.");
  await write(page, "Cron", "0 9 * *");
  await enter(page);
  await shows(page, "the day of the week is missing");
  assert.equal(await page.evaluate("document.activeElement.labels[0].textContent"), "Cron");
  await checkPage(page);
  assert.deepEqual(await listOf(server, path, "schedules"), []);
  await write(page, "Cron", "0 9 * * 1-5");
  await shows(page, "Runs at 09:00, Monday to Friday.");
  await enter(page);
  await shows(page, "At 09:00, Monday to Friday (Europe/Berlin)");
  await shows(page, "It has not run yet.");
  await checkPage(page);
  await tabTo(page, "Pause");
  await enter(page);
  await tabTo(page, "Resume");
  const [schedule] = await listOf(server, path, "schedules");
  assert.partialDeepStrictEqual(schedule, { name: "Report", cron: "0 9 * * 1-5", enabled: false });
});

test("an event that a receiver has refused is replayed by keyboard, and its outcome shows by itself", async (t) => {
  const received: unknown[] = [];
  const url = await serve(t, (request, response) => {
    received.push(request.headers["webhook-id"]);
    response.writeHead(received.length === 1 ? 500 : 204).end();
  });
  const server = await startChats(t, [], { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" });
  await server.client.json(201, "POST", "/api/admin/webhooks", { url, events: ["thread.completed"] });
  const page = await openConsole(t, server, "/automation/webhooks");
  await tabTo(page, url);
  await enter(page);
  await tabTo(page, "Send a test");
  await enter(page);
  await shows(page, "The test was not accepted");
  const state = (word: string) =>
    `document.querySelector("ul[aria-label=Deliveries]")?.innerText.includes("${word}")`;
  await page.waitFor(state("failed"));
  await checkPage(page);
  await tabTo(page, "Replay");
  await enter(page);
  await page.waitFor(state("delivered"));
  assert.equal(received.length, 2);
  assert.equal(received[0], received[1]);
  await tabTo(page, "Rotate the secret");
  await enter(page);
  await shows(page, "Copy the new secret now: it is shown only once");
  await page.press("Escape", 27);
  await checkPage(page);
  await shows(page, "Copy the new secret now");
});

test("a webhook of an agent that cannot be listed keeps it when another setting is saved", async (t) => {
  const server = await startChats(t);
  const webhooks = "/api/admin/webhooks";
  const body = { url: "https://example.com/events", events: ["thread.completed"], agentId: "agt_archived" };
  const webhookId = await server.client.field("id", 201, "POST", webhooks, body);
  const page = await openConsole(t, server, `/automation/webhooks?webhook=${webhookId}`);
  await tabTo(page, "Edit");
  await enter(page);
  await write(page, "Note", "Ours.");
  // The agents are read again.
  await hire(server);
  await page.waitFor(`[...document.querySelector("select[name=agentId]").options]
    .some(({ text }) => text === "Lou (workforce)")`);
  await tabTo(page, "Save");
  await enter(page);
  await tabTo(page, "Edit");
  const stored = await server.client.json(200, "GET", `${webhooks}/${webhookId}`);
  assert.partialDeepStrictEqual(stored, { description: "Ours.", agentId: "agt_archived" });
});

test("a hook is created with a secret that is shown once, and an event that its sender posts is replayed", async (t) => {
  const says = (text: string) => ({ parts: [{ text }] });
  const server = await startChats(t, [says("First."), says("Second.")]);
  const agentId = await hire(server);
  const page = await openConsole(t, server, "/automation/hooks?hook=new");
  await write(page, "Name", "Alerts");
  await write(page, "Message", "An alert of {{HOST}}.");
  await tabTo(page, "Create the hook");
  await enter(page);
  await shows(page, "Copy the secret now: it is shown only once");
  const shown = await page.evaluate(
    "[...document.querySelectorAll('section code')].map((code) => code.textContent)",
  );
  assert.ok(Array.isArray(shown));
  const [address = "", secret = ""] = shown.map(String);
  assert.match(secret, /^whsec_/);
  await checkPage(page);
  await page.press("Escape", 27);
  await tabTo(page, "Done");
  await enter(page);
  await shows(page, "No sender has posted an event yet.");
  assert.ok(!String(await page.evaluate("document.body.innerText")).includes(secret));

  const hook = `/api/admin/workforce/agents/${agentId}/hooks/${address.split("/").at(-1)}`;
  const bearer = "sample-secret-of-alerts";
  const verify = { type: "bearer", secret: bearer };
  await server.client.json(200, "PATCH", hook, { verify });
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const posted = await fetch(address, { method: "POST", headers, body: JSON.stringify({ host: "web-2" }) });
  assert.equal(posted.status, 202);
  await shows(page, "dispatched");
  await checkPage(page);
  await tabTo(page, "Replay");
  await enter(page);
  await shows(page, "replayed");
  await until("both were carried out", () => server.provider.requests.length === 2);
});

test("a key of the workforce sees no webhooks of the project", async (t) => {
  const server = await startChats(t);
  const body = { name: "Lead", permissions: ["workforce"] };
  const key = await server.client.field("key", 201, "POST", "/api/admin/keys", body);
  const page = await openConsole(t, { url: server.url, key }, "/automation");
  await shows(page, "Schedules");
  const tabs = "[...document.querySelectorAll('nav[aria-label=Automation] a')].map((tab) => tab.textContent)";
  assert.deepEqual(await page.evaluate(tabs), ["Schedules", "Hooks"]);
});

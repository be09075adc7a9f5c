import assert from "node:assert/strict";
import { type Chats, startChats } from "@muster/local/testing/chats";
import { type TestScope, until } from "@muster/testing";
import type { Page } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

type Step = NonNullable<Parameters<typeof startChats>[1]>[number];

const runs = (command: string): Step => ({
  parts: [{ toolCall: { name: "shell__run_command", arguments: { command } } }],
});
const says = (text: string): Step => ({ parts: [{ text }] });

async function hire({ client }: Chats, name = "Lou"): Promise<string> {
  const body = { name, prebuilt: "log-analyst", settings: { model: "local/scripted" } };
  return String(await client.field("agentId", 201, "POST", "/api/admin/workforce/agents", body));
}

const threadsOf = (agentId: string) => `/api/admin/workforce/agents/${agentId}/threads`;

async function give({ client }: Chats, agentId: string, message: string): Promise<string> {
  return String(await client.field("threadId", 201, "POST", threadsOf(agentId), { message }));
}

async function statusOf({ client }: Chats, agentId: string, threadId: string): Promise<unknown> {
  return (await client.json(200, "GET", `${threadsOf(agentId)}/${threadId}`)).status;
}

function ended(server: Chats, agentId: string, threadId: string): Promise<void> {
  return until("the thread ends", async () => (await statusOf(server, agentId, threadId)) === "completed");
}

const enter = (page: Page) => page.press("Enter", 13);

/** A run that does not end before the test does what it is for. */
function pausing(t: TestScope) {
  const { promise, resolve } = Promise.withResolvers<void>();
  t.onTestFinished(() => resolve());
  return { promise, resolve };
}

test("a teammate is hired, given a task and watched by keyboard alone, and then its video plays in the same place", async (t) => {
  const pause = pausing(t);
  const server = await startChats(t, [
    runs("echo counting; printf '\\033[31mweb-2 failed\\033[0m\\n'"),
    { parts: [{ until: pause.promise }, { text: "It was web-2." }] },
  ]);
  const page = await openConsole(t, server, "/workforce");
  await shows(page, "Nobody works here yet");
  await tabTo(page, "Hire");
  await enter(page);
  await tabTo(page, "Data wrangler");
  await page.press("ArrowDown", 40);
  await tabTo(page, "Record a video of every run");
  await page.press(" ", 32);
  await tabTo(page, "Model");
  await page.type("local/scripted");
  await page.waitFor("document.activeElement.labels?.[0]?.textContent === 'Name'");
  await page.type("Lou");
  await shows(page, "Lou is hired");
  await shows(page, "svc_agt_");
  await tabTo(page, "Give Lou a task");
  await enter(page);
  await tabTo(page, "Task for Lou");
  await page.type("Which host failed most?");

  // Both halves of the page are visible.
  await page.show({ width: 1440, height: 900 });
  await page.waitFor("document.querySelector('[aria-label=Terminal]')?.innerText.includes('web-2 failed')");
  await shows(page, "running");
  pause.resolve();
  await shows(page, "It was web-2.");
  await shows(page, "completed");
  await page.waitFor("document.querySelector('video')?.readyState > 0");
  await page.waitFor("document.querySelectorAll('[aria-label=Chapters] button').length > 0");
  const last = "[...document.querySelectorAll('[aria-label=Transcript] button')].at(-1)";
  await tabTo(page, String(await page.evaluate(`${last}.textContent`)));
  await enter(page);
  await page.waitFor("document.querySelector('video').currentTime > 0");
  await checkPage(page);
});

test("a queued task is withdrawn by keyboard alone, and the others keep their places", async (t) => {
  const pause = pausing(t);
  const server = await startChats(t, [
    { parts: [{ until: pause.promise }, { text: "One." }] },
    says("Three."),
  ]);
  const lou = await hire(server);
  const first = await give(server, lou, "Count the hosts");
  const second = await give(server, lou, "Count the shops");
  const third = await give(server, lou, "Count the orders");
  const page = await openConsole(t, server, `/workforce/${lou}`);
  await tabTo(page, "Withdraw Count the shops");
  await enter(page);
  await page.waitFor("document.querySelectorAll('[aria-label^=Withdraw]').length === 1");
  assert.equal(await statusOf(server, lou, second), "cancelled");
  assert.equal(await statusOf(server, lou, third), "queued");
  pause.resolve();
  await ended(server, lou, first);
  await ended(server, lou, third);
});

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
    [`/${lou}`, "Nothing runs and nothing waits."],
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

test("the token of a computer is shown once, with the command that connects the machine", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/workforce/computers");
  await shows(page, "No machine dials in yet");
  await tabTo(page, "New computer");
  await enter(page);
  await page.waitFor("document.activeElement?.tagName === 'INPUT'");
  await page.type("Build machine");
  await tabTo(page, "Name of the new token");
  await page.type("Cellar");
  await shows(page, "export MUSTER_COMPUTER_TOKEN=svc_cmp_");
  await page.go(`${server.url}${await page.evaluate("location.pathname")}`);
  await shows(page, "Cellar");
  assert.equal(await page.evaluate("document.body.innerText.includes('svc_cmp_')"), false);
});

test("settings that were changed elsewhere are neither overwritten nor lost, and a refusal is at its field", async (t) => {
  const server = await startChats(t);
  const lou = await hire(server);
  const managed = `/api/admin/workforce/agents/${lou}`;
  const page = await openConsole(t, server, `/workforce/${lou}/settings`);
  await shows(page, "Fire Lou");
  await server.client.json(200, "PATCH", managed, { name: "Louise" });
  await shows(page, "This was changed elsewhere since you opened it.");
  await tabTo(page, "US dollars");
  await page.type("12");
  await page.waitFor("document.querySelector('[role=alert]')?.innerText.includes('VERSION_MISMATCH')");
  await tabTo(page, "Show the change");
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
  await shows(page, "Nothing runs and nothing waits.");
  await server.client.json(200, "DELETE", `/api/admin/workforce/agents/${lou}`);
  await shows(page, "This teammate does not exist");
  await tabTo(page, "The whole workforce");
  await enter(page);
  await shows(page, "Nobody works here yet");
});

import assert from "node:assert/strict";
import { startChats } from "@muster/local/testing/chats";
import type { TestScope } from "@muster/testing";
import type { Page } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";
import { ended, give, hire, runs, says, statusOf } from "./support/workforce.ts";

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
  await shows(page, "There are no teammates yet");
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

test("a queued task is withdrawn and the current one cancelled by keyboard alone, and the others keep their places", async (t) => {
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
  await tabTo(page, "Cancel Count the hosts");
  await enter(page);
  await ended(server, lou, third);
  assert.equal(await statusOf(server, lou, first), "cancelled");
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

test("a command that waits for a user runs once it is approved in its task, by keyboard alone", async (t) => {
  const server = await startChats(t, [runs("echo cleared"), says("It is empty now.")]);
  const lou = await hire(server, "Lou", { approvals: { shell__run_command: "ask" } });
  const thread = await give(server, lou, "Clear the cache");
  const page = await openConsole(t, server, `/workforce/${lou}/threads/${thread}`);
  await shows(page, "needs approval");
  await tabTo(page, "Approve");
  await enter(page);
  await shows(page, "It is empty now.");
});

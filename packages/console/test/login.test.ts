import assert from "node:assert/strict";
import { startChats } from "@muster/local/testing/chats";
import { openPage, type Page } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

test("a deep link survives the login, and the page itself never has the key", async (t) => {
  const server = await startChats(t);
  const page = await openPage(t, `${server.url}/sessions/ses_unknown`);
  await page.waitFor("document.activeElement?.type === 'password'");
  await checkPage(page);
  await page.type("svc_sk_wrong");
  await shows(page, "This key is not valid on this server.");
  await page.evaluate("document.activeElement.value = ''; document.querySelector('input').select()");
  await page.evaluate("document.querySelector('input').focus()");
  await page.type(server.key);
  await page.waitFor("document.querySelector('nav') !== null");
  assert.equal(await page.evaluate("location.pathname"), "/console/sessions/ses_unknown");
  const stored = await page.evaluate("document.cookie + JSON.stringify(localStorage)");
  assert.ok(!String(stored).includes("svc_"), String(stored));
});

test("a login that ends shows the form over the page, and logging in again continues there", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/sessions");
  await shows(page, "There are no sessions yet");
  await tabTo(page, "Agents");
  await page.press("Enter", 13);
  await page.waitFor("location.pathname === '/console/agents'");
  await logOutElsewhere(page);
  await page.type(server.key);
  await page.waitFor("!document.body.innerText.includes('Log in again')");
  assert.equal(await page.evaluate("location.pathname"), "/console/agents");
});

test("a login with another key starts from the home page, without anything that the first one has shown", async (t) => {
  const server = await startChats(t);
  const wanted = { name: "Support", permissions: ["sessions"] };
  const key = await server.client.field("key", 201, "POST", "/api/admin/keys", wanted);
  const page = await openConsole(t, server, "/settings");
  await shows(page, "Support");
  await logOutElsewhere(page);
  await page.type(key);
  await page.waitFor("location.pathname === '/console' && document.querySelector('nav') !== null");
  const text = await page.evaluate("document.body.innerText");
  assert.ok(!String(text).includes("Settings"), String(text));
  await page.go(`${server.url}/console/settings/keys`);
  await shows(page, "It needs the permission admin or mint-tokens.");
});

test("a request that is refused because the login has ended shows the form, also without the events", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server);
  await page.before(`{
    const send = window.fetch;
    const isStream = (input) => new URL(input.url ?? input, location).pathname === "/api/changes";
    window.fetch = (input, init) => (isStream(input) ? new Promise(() => {}) : send(input, init));
  }`);
  await page.go(`${server.url}/console/sessions`);
  await shows(page, "There are no sessions yet");
  await logOut(page);
  await tabTo(page, "Agents");
  await page.press("Enter", 13);
  await shows(page, "Log in again");
});

async function logOut(page: Page): Promise<void> {
  await page.evaluate(
    "fetch('/api/logins/current', { method: 'DELETE', headers: { 'x-muster-login': '1' } }).then(({ status }) => status)",
  );
}

/** Ends the login as another tab does, and waits for the form. */
async function logOutElsewhere(page: Page): Promise<void> {
  await logOut(page);
  await shows(page, "Log in again");
  await page.waitFor("document.activeElement?.type === 'password'");
}

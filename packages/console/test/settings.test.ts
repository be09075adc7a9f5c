import assert from "node:assert/strict";
import { startChats } from "@muster/local/testing/chats";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

test("a key is created and revoked by keyboard, and its secret is shown only once", async (t) => {
  const server = await startChats(t);
  const page = await openConsole(t, server, "/settings");
  await tabTo(page, "New key");
  await page.press("Enter", 13);
  await tabTo(page, "Create the key");
  await page.press("Enter", 13);
  // The server refuses both at their fields.
  await page.waitFor("document.querySelectorAll('[aria-invalid=true]').length === 7");
  assert.equal(await page.evaluate("document.activeElement.labels[0].textContent"), "Name");
  await checkPage(page);

  await page.evaluate("document.activeElement.focus()");
  await tabTo(page, "sessions – talk to agents, read their sessions");
  await page.press(" ", 32);
  await tabTo(page, "Name");
  await page.type("Nightly import");
  await shows(page, "Copy the key now: it is shown only once");
  const secret = String(await page.evaluate("document.querySelector('[role=status] code').textContent"));
  assert.match(secret, /^svc_sk_/);
  const credential = await fetch(`${server.url}/api/credential`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.deepEqual(Object(await credential.json()).permissions, ["sessions"]);

  await tabTo(page, "Done");
  await page.press("Enter", 13);
  assert.ok(!String(await page.evaluate("document.body.innerText")).includes(secret));
  await tabTo(page, "Nightly import");
  await page.press("Enter", 13);
  await tabTo(page, "Revoke");
  await page.press("Enter", 13);
  await tabTo(page, "Type Nightly import to confirm");
  await page.type("Nightly import");
  await tabTo(page, "Revoke");
  await page.press("Enter", 13);
  await page.waitFor(
    "![...document.querySelectorAll('[role=row] a')].some((row) => row.textContent === 'Nightly import')",
  );
  const refused = await fetch(`${server.url}/api/credential`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(refused.status, 401);
});

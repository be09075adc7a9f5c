import assert from "node:assert/strict";
import { startTestServer } from "@muster/local/testing/server";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

test("an MCP server is registered and tested by keyboard, and a refused slug shows at its field", async (t) => {
  const server = await startTestServer(t, { MCP_ALLOWED_HOSTS: "127.0.0.1" });
  const page = await openConsole(t, server, "/tools");
  await shows(page, "No MCP server is registered");
  await tabTo(page, "New server");
  await page.press("Enter", 13);
  await tabTo(page, "URL");
  // Muster itself is one.
  await page.insert(`${server.url}/mcp`);
  await tabTo(page, "Slug");
  await page.type("Not A Slug");
  await page.waitFor("document.activeElement.getAttribute('aria-invalid') === 'true'");
  assert.equal(await page.evaluate("document.activeElement.name"), "slug");
  await page.evaluate("document.activeElement.select()");
  await page.type("own");
  await tabTo(page, "Test the connection");
  await page.press("Enter", 13);
  // It asks for a key.
  await shows(page, "failed:");
  await checkPage(page);

  await tabTo(page, "Authentication");
  await page.press("ArrowDown", 40);
  await page.press("ArrowDown", 40);
  await tabTo(page, "Token");
  await page.type(server.key);
  await page.waitFor("document.querySelector('[name=\"auth.type\"]').value === ''");
  await tabTo(page, "Test the connection");
  await page.press("Enter", 13);
  await shows(page, "muster_agents_list");
});

test("a generated secret of a host is shown once, and the host is listed by its last characters", async (t) => {
  const server = await startTestServer(t);
  const page = await openConsole(t, server, "/tools/secrets");
  await shows(page, "No host has a secret yet");
  await tabTo(page, "Host");
  await page.type("api.example.com");
  await shows(page, "shown only once");
  const secret = String(await page.evaluate("document.querySelector('[role=status] code').textContent"));
  assert.match(secret, /^whsec_/);
  await shows(page, `…${secret.slice(-4)}`);
  await checkPage(page);
});

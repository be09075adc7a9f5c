import { startTestServer } from "@muster/local/testing/server";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

test("the project's key for a provider is set and deleted by keyboard", async (t) => {
  const server = await startTestServer(t);
  const page = await openConsole(t, server, "/settings/providers");
  await tabTo(page, "Set a key for xai");
  await page.press("Enter", 13);
  await tabTo(page, "Key for xai");
  await page.type("with a space");
  await page.waitFor("document.activeElement.getAttribute('aria-invalid') === 'true'");
  await checkPage(page);
  await page.evaluate("document.activeElement.select()");
  await page.type("xai-0123456789abcdefghij");
  await shows(page, "…ghij");
  await tabTo(page, "Delete");
  await page.press("Enter", 13);
  await tabTo(page, "Type xai to confirm");
  await page.insert("xai");
  await tabTo(page, "Delete");
  await page.press("Enter", 13);
  await page.waitFor("!document.body.innerText.includes('…ghij')");
});

test("an identity provider is registered by keyboard, and a missing condition shows at its field", async (t) => {
  const server = await startTestServer(t);
  const page = await openConsole(t, server, "/settings/identity-providers?provider=new");
  await tabTo(page, "Name");
  await page.insert("CI");
  await tabTo(page, "The agent");
  await page.press("ArrowDown", 40);
  await tabTo(page, "Claim with its id");
  await page.insert("agent");
  await tabTo(page, "Issuer");
  await page.type("https://ci.example.com");
  await page.waitFor("document.activeElement.name === 'conditions'");
  await checkPage(page);
  await page.evaluate("document.querySelector('[name=conditions]').focus()");
  await page.insert("repository = acme/app");
  await tabTo(page, "Register the provider");
  await page.press("Enter", 13);
  await shows(page, "The audience (aud) that its tokens must have:");
});

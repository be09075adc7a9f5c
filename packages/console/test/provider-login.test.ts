import assert from "node:assert/strict";
import { startProviderLogin } from "@muster/local/testing/provider-login";
import { openPage } from "@muster/testing/browser";
import { test } from "vitest";
import { checkPage, shows, tabTo } from "./support/open-console.ts";

test("a user logs in with the identity provider by keyboard, after a refusal in words, and arrives at the page that was wanted", async (t) => {
  const { provider, url } = await startProviderLogin(t);
  const { claims, settings } = provider;
  const button = `Log in with ${settings.issuer.host}`;
  provider.claims = { ...claims, groups: [] };
  // Another site than the provider's, for which cookies have rules of their own.
  const page = await openPage(t, `${url.replace("127.0.0.1", "localhost")}/console/agents?q=a`);
  await shows(page, button);
  await checkPage(page);
  await tabTo(page, button);
  await page.press("Enter", 13);
  await shows(page, "nothing grants you access to this server");
  provider.claims = claims;
  await tabTo(page, button);
  await page.press("Enter", 13);
  await shows(page, "There are no agents yet");
  assert.equal(await page.evaluate("location.host"), `localhost:${provider.port}`);
  assert.equal(await page.evaluate("location.pathname + location.search"), "/console/agents?q=a");
  assert.equal(await page.evaluate("document.cookie"), "");
  const links = String(await page.evaluate("document.querySelector('nav').innerText"));
  assert.ok(links.includes("Sessions") && !links.includes("Usage"), links);
});

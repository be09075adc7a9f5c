import assert from "node:assert/strict";
import type { TestScope } from "@muster/testing";
import { openPage, type Page } from "@muster/testing/browser";

interface Server {
  url: string;
  key: string;
}

/** Opens an address of the console and logs in, by keyboard as every test. */
export async function openConsole(t: TestScope, { url, key }: Server, path = "/"): Promise<Page> {
  const page = await openPage(t, `${url}/console${path}`);
  await page.waitFor("document.activeElement?.type === 'password'");
  await page.type(key);
  await page.waitFor("document.querySelector('nav') !== null");
  return page;
}

/** Waits until the page shows a text. */
export async function shows(page: Page, text: string): Promise<void> {
  await page.waitFor(`document.body?.innerText.includes(${JSON.stringify(text)}) === true`);
}

/** Moves the focus to the control with that accessible name, as a user of the Tab key does. Throws if Tab does not reach it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  await page.waitFor(`[...document.querySelectorAll("a, button, input, select, textarea, summary, [role=group], [tabindex='0']")]
    .some((element) => (${nameOf})(element) === ${JSON.stringify(name)})`);
  for (let presses = 0; presses < 200; presses++) {
    if ((await page.evaluate(`(${nameOf})(document.activeElement)`)) === name) return;
    await page.press("Tab", 9);
  }
  assert.fail(`Tab does not reach ${name}`);
}

const nameOf = `(element) => (element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ??
  element.textContent ?? "").trim()`;

/** A request that is refused is no fault of the page, and neither is a hint. */
const harmless = /"source":"network"|"level":"verbose"/;

const screens = [
  { width: 1440, height: 900, scheme: "light" },
  { width: 1440, height: 900, scheme: "dark" },
  { width: 390, height: 844, scheme: "light", isMobile: true },
  { width: 390, height: 844, scheme: "dark", isMobile: true },
] as const;

/** On every screen: no obstacle that axe finds, nothing wider than the screen, no breach of the policy and no error. */
export async function checkPage(page: Page): Promise<void> {
  for (const screen of screens) {
    await page.show(screen);
    // Only colours depend on the scheme, and all rules take a second of processor time.
    const found = await page.violations(screen.scheme === "dark" ? { runOnly: "color-contrast" } : {});
    assert.deepEqual(found, [], JSON.stringify(screen));
    assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false);
  }
  await page.show(screens[0]);
  assert.deepEqual(
    page.problems.filter((problem) => !harmless.test(problem)),
    [],
  );
}

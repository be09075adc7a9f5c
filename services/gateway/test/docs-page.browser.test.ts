import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openPage } from "@muster/testing/browser";
import { test } from "vitest";
import { startEdge } from "./support/start-edge.ts";

const screens = {
  desktop: { width: 1280, height: 800 },
  "desktop-dark": { width: 1280, height: 800, scheme: "dark" },
  phone: { width: 390, height: 844, isMobile: true },
  "phone-dark": { width: 390, height: 844, isMobile: true, scheme: "dark" },
} as const;
const samples = "[...document.querySelectorAll('pre')].map((each) => each.textContent).join()";
const loaded = "performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)";

test("in Chromium, the API page shows samples on every screen in its user's colours, and loads nothing from elsewhere", async (t) => {
  const edge = await startEdge(t);
  // Chromium compiles the viewer again for each load, which takes longer than the rest.
  const page = await openPage(t, `${edge.url}/docs#tag/sessions/POST/api/agent-sessions`);
  const backgrounds: unknown[] = [];
  for (const [name, screen] of Object.entries(screens)) {
    await page.show(screen);
    await page.waitFor(`${samples}.includes("Bearer YOUR_SECRET_TOKEN")`);
    assert.doesNotMatch(String(await page.evaluate(samples)), /X-Request-Id/);
    await page.waitFor("document.documentElement.scrollWidth <= innerWidth");
    backgrounds.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
    // For users: SCREENSHOTS names a folder that exists.
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await writeFile(join(folder, `docs-${name}.png`), await page.screenshot());
  }
  assert.deepEqual(new Set(Object(await page.evaluate(loaded))), new Set([edge.url]));
  const [light, dark, ...phone] = backgrounds;
  assert.notEqual(light, dark);
  assert.deepEqual(phone, [light, dark]);
  assert.deepEqual(page.problems, []);
});

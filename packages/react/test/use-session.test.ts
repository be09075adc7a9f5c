import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startChats } from "@muster/local/testing/chats";
import { freePort, temporaryDirectory } from "@muster/testing";
import { openPage } from "@muster/testing/browser";
import { rolldown } from "rolldown";
import { test } from "vitest";

/** A module of the test with all that it imports, for browsers or for Node. */
async function bundled(input: string, platform: "browser" | "node"): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "support", input),
    platform,
    transform: { define: { "process.env.NODE_ENV": '"development"' } },
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return output[0].code;
}

test("a page that a server has rendered continues in strict mode, renders once per frame at most, and reads nothing once its component is gone", async (t) => {
  const hold = Promise.withResolvers<void>();
  const origin = `http://127.0.0.1:${await freePort()}`;
  const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
  const steps = [{ parts: [{ text: words }, { until: hold.promise }, { text: " end" }] }];
  const { url, key, client, agentId } = await startChats(t, steps, { CORS_ORIGINS: origin });
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const token = await client.field("token", 201, "POST", "/api/tokens", { agentId, sessionId });
  const [script, rendering] = await Promise.all([
    bundled("hydrate.jsx", "browser"),
    bundled("render.jsx", "node"),
  ]);
  const file = join(await temporaryDirectory(t), "render.mjs");
  await writeFile(file, rendering);
  const { render } = await import(pathToFileURL(file).href);
  const props = { baseUrl: url, token, sessionId };
  const html = String(render(props));
  assert.match(html, /data-status="loading".*From the server/s);
  assert.ok(!html.includes(key));
  const document = `<!doctype html><html lang="en"><title>Test</title><link rel="icon" href="data:,"><div id="root">${html}</div><script id="props" type="application/json">${JSON.stringify(props)}</script><script type="module" src="/app.js"></script></html>`;
  const server = createServer(({ url: path }, response) => {
    const isScript = path === "/app.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isScript ? script : document);
  }).listen(Number(new URL(origin).port), "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  const page = await openPage(t, origin);
  const status = "document.querySelector('main')?.dataset.status";
  const text = "document.querySelector('#text')?.textContent";
  const requests = (part: string) =>
    `performance.getEntriesByType('resource').filter(({ name }) => name.includes('${part}')).length`;
  await page.waitFor(`${status} === 'ready' && ${text} === ''`);
  assert.equal(
    await page.evaluate(requests("/api/agent-sessions/")),
    1,
    "strict mode reads the session once",
  );
  await page.evaluate("renders = 0; frames = 0; document.querySelector('#send').click()");
  await page.waitFor(`${text}?.includes('w299') === true`);
  // Strict mode renders twice, and changes of the status are shown at once.
  assert.equal(await page.evaluate("renders <= 2 * (frames + 6) || [renders, frames].join()"), true);
  await page.evaluate("document.querySelector('#toggle').click()");
  await page.waitFor(`${requests("/trigger")} === 1`);
  await page.evaluate("document.querySelector('#toggle').click()");
  await page.waitFor(`${status} === 'running' && ${text}?.includes('w299') === true`);
  hold.resolve();
  await page.waitFor(`${status} === 'ready' && ${text}?.endsWith('w299 end') === true`);
  assert.equal(await page.evaluate(`${text}.split('w299').length`), 2, "nothing is shown twice");
  assert.deepEqual(page.problems, []);
});

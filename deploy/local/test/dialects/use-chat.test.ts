import assert from "node:assert/strict";
import { join } from "node:path";
import { serve } from "@muster/testing";
import { openPage } from "@muster/testing/browser";
import { rolldown } from "rolldown";
import { test } from "vitest";
import { calls, startChats } from "../support/dialects/start-chats.ts";

const page = join(import.meta.dirname, "../support/dialects/use-chat-page.js");

async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: page,
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.generate({ format: "iife", minify: true });
  await bundle.close();
  return output[0].code;
}

const shown = (role: string) =>
  `[...document.querySelectorAll('.${role}')].map((p) => p.textContent).join('|')`;

test("a page with useChat shows a turn, makes calls and decides about them, and follows the turn after a reload", async (t) => {
  const script = await bundled();
  const config: Record<string, string> = {};
  const origin = await serve(t, (request, response) => {
    if (request.url === "/page.js") response.setHeader("content-type", "text/javascript").end(script);
    else {
      const settings = `<script>window.config = ${JSON.stringify(config)}</script>`;
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><link rel="icon" href="data:,"><body>${settings}<script src="/page.js"></script>`,
      );
    }
  });
  const pause = Promise.withResolvers<void>();
  const { url, client, agentId } = await startChats(
    t,
    [
      { parts: [{ text: "Hello." }] },
      calls("get-order", "call_1"),
      calls("refund", "call_2"),
      { parts: [{ text: "First " }, { until: pause.promise }, { text: "last." }] },
    ],
    { CORS_ORIGINS: origin },
  );
  const permissions = ["sessions", "approve", "mint-tokens"];
  Object.assign(config, {
    url,
    token: await client.field("key", 201, "POST", "/api/admin/keys", { name: "p", permissions, agentId }),
  });
  const open = await openPage(t, origin);
  const rests = "document.querySelector('main')?.dataset.status === 'ready'";
  await open.waitFor(rests);
  await open.evaluate("void window.chat.sendMessage({ text: 'Hello' })");
  await open.waitFor(`${rests} && ${shown("assistant")}.endsWith('|Hello.')`);
  await open.evaluate("void window.chat.sendMessage({ text: 'Refund order 7' })");
  await open.waitFor(`${rests} && ${shown("assistant")}.endsWith('tool-refund approval-requested')`);
  assert.match(String(await open.evaluate(shown("assistant"))), /tool-get-order output-available/);
  await open.evaluate(
    "void window.chat.addToolApprovalResponse({ id: window.chat.messages.at(-1).parts.at(-1).approval.id, approved: true })",
  );
  await open.waitFor(`${shown("assistant")}.endsWith('|First ')`);
  await open.go(origin);
  await open.waitFor(`${shown("assistant")}.endsWith('First ')`);
  pause.resolve();
  await open.waitFor(`${rests} && ${shown("assistant")}.endsWith('First last.')`);
  const all = String(await open.evaluate(shown("assistant")));
  assert.match(all, /tool-refund output-available.*First last/);
  assert.deepEqual(open.problems, []);
});

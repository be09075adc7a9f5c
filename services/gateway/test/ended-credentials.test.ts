import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { test } from "vitest";
import { gatewayDefaults } from "../src/config.ts";
import { makeKey, type ScriptedSessions, startEdge } from "./support/start-edge.ts";

test("deleting a key ends its open streams and aborts their turns, and other keys keep theirs", async (t) => {
  const running = new Set<string>();
  const impl: ScriptedSessions = {
    trigger: async function* ({ sessionId }, { signal }) {
      running.add(sessionId);
      try {
        yield { events: [{ sequence: 1, type: "start", json: '{"type":"start","messageId":"m"}' }] };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      } finally {
        running.delete(sessionId);
      }
    },
  };
  const edge = await startEdge(t, impl, {
    authCacheMs: 600_000,
    // The event alone has to end them.
    streams: { ...gatewayDefaults.streams, recheckMs: 600_000 },
  });
  const [deleted, kept] = [await makeKey(edge), await makeKey(edge)];
  const open = (sessionId: string, key: string) =>
    fetch(`${edge.url}/api/agent-sessions/${sessionId}/trigger`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"triggerName":"x"}',
    });
  const ending = await open("ses_1", deleted.key);
  const other = await open("ses_2", kept.key);
  assert.equal((await edge.call("DELETE", `/api/admin/keys/${deleted.id}`)).status, 200);
  const text = await ending.text();
  assert.match(
    text,
    /"errorType":"authentication_error".*"code":"UNAUTHENTICATED","lastSequence":\d+\}\n\ndata: \[DONE\]\n\n$/,
  );
  await until(() => !running.has("ses_1"));
  assert.ok(running.has("ses_2"));
  await other.body?.cancel();
});

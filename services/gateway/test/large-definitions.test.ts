import assert from "node:assert/strict";
import { chargeJson } from "@muster/testing";
import { test } from "vitest";
import { agentBody, startEdge } from "./support/start-edge.ts";

const readers = 5;
const maxTickMs = 20;

test("definitions that many read at once are complete, and spread over ticks of the main loop", async (t) => {
  const edge = await startEdge(t);
  const body = agentBody("large");
  const contents = Array.from({ length: 14 }, (_, n) => `${n} "🦉"\n`.repeat(6_000));
  const definition = {
    ...body,
    prompts: [...body.prompts, ...contents.map((content, n) => ({ name: `note-${n}`, content }))],
    references: contents.map((content, n) => ({
      name: `reference-${n}`,
      description: "Notes",
      content: content.repeat(2),
    })),
  };
  const { json } = await edge.call("POST", "/api/agents", { body: definition });
  const { json: read } = await edge.call("GET", `/api/agents/${json.agentId}`);
  const { prompts, references } = definition;
  assert.deepEqual(read, { id: json.agentId, ...definition, settings: read.settings, prompts, references });

  const expected = JSON.stringify(read);

  const charged = chargeJson(t);
  const headers = { authorization: `Bearer ${edge.adminKey}` };
  const replies = await Promise.all(
    Array.from({ length: readers }, () => fetch(`${edge.url}/api/agents/${json.agentId}`, { headers })),
  );
  const lengths = await Promise.all(replies.map(async (reply) => (await reply.arrayBuffer()).byteLength));
  assert.deepEqual(new Set(lengths), new Set([Buffer.byteLength(expected)]));
  assert.ok(charged.totalMs() > 4 * maxTickMs, `${charged.totalMs()} ms in all`);
  assert.ok(charged.longestMs() < maxTickMs, `${charged.longestMs()} ms in one tick`);
});

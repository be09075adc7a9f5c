import assert from "node:assert/strict";
import { foldEvents } from "@muster/client/fold";
import { View } from "@muster/proto/sessions";
import { test } from "vitest";
import { continuing, hasText, leaseMs, Reader, resume, survivorTimings } from "./support/adoption-harness.ts";
import { asStreamEvent, asUiMessage, comparable } from "./support/folding.ts";
import { openSession, readSession, say, startWorld } from "./support/harness.ts";

const worker = (extra: string) => `
input: { TOPIC: { type: string, default: night } }
variables: { FOUND: { type: string } }
steps:
  Open: { block: start-thread, thread: main, model: local/scripted }
${extra}  Ask: { block: add-message, role: user, prompt: task, input: [TOPIC] }
  Answer: { block: next-message, output: FOUND }
output: FOUND
`;
const prompts = { message: "{{TEXT}}", task: "Say {{TOPIC}}" };
const chat = `
triggers:
  say: { input: { TEXT: { type: string } } }
agent: { model: local/scripted }
workers:
  finder: { description: Finds, display: stream }
handlers:
  say:
    Run: { block: run-worker, worker: finder }
`;
const timings = { renewEveryMs: 3_600_000, flushEventsEveryMs: 10, earlySaveMs: 3_600_000 };
const more = worker("  More: { block: set-resource, resource: R, value: TOPIC }\n").replace(
  "variables:",
  "resources: { R: { type: string } }\nvariables:",
);

test("a turn whose process dies continues with the versions of its workers, also if others were published meanwhile", async (t) => {
  const world = await startWorld(t, [
    { parts: [{ text: "Half" }], ending: "hang" },
    { parts: [{ text: "Whole." }] },
  ]);
  const first = { format: "worker", prompts, protocol: worker("") } as const;
  world.agents.set("agt_chat", [{ prompts, protocol: chat }]);
  world.agents.set("finder", [first]);
  const doomed = await world.addInstance({ timings });
  const survivor = await world.addInstance({ timings: survivorTimings });
  const sessionId = await openSession(world, survivor, {});
  const reader = new Reader(doomed.client.trigger({ ...say(sessionId, "Hi"), ...continuing }, world.as()));
  await reader.until(hasText("Half"));
  world.agents.set("finder", [first, { ...first, protocol: more }]);
  world.clock.advance(leaseMs);
  const events = await resume(world, survivor, { sessionId, executionId: reader.executionId });
  const shown = foldEvents(
    events.map(({ json }) => asStreamEvent(JSON.parse(json))),
    { view: "stored" },
  );
  const { messages } = await readSession(survivor.client, { sessionId, view: View.UI }, world.as());
  assert.deepEqual(comparable(shown), comparable(messages.map(asUiMessage)));
  assert.doesNotMatch(JSON.stringify(shown), /Half/);
});

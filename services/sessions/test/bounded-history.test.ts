import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { View } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { describe, type TestContext, test } from "vitest";
import {
  openSession,
  readAll,
  readSession,
  refusal,
  say,
  scriptedModel,
  startWorld,
} from "./support/harness.ts";
import { managed, recent, seed, summarised } from "./support/summarised.ts";

const count = 60;
const answer = (text: string): ScriptedStep => ({ parts: [{ text }] });

/** A session whose older messages are part of a summary, in chunks or in its document. */
async function begin(
  t: TestContext,
  { answers = [] as string[], messages = summarised(count), archiveLength = 1_000 } = {},
) {
  const world = await startWorld(t, answers.map(answer));
  world.agents.set("agt_chat", [managed]);
  const instance = await world.addInstance();
  const { client } = instance;
  const sessionId = await openSession(world, instance);
  await seed(world, sessionId, messages, archiveLength);
  const read = async (request: object = {}) => {
    const { messages } = await readSession(client, { sessionId, view: View.UI, ...request }, world.as());
    return messages;
  };
  const ask = async (text: string, more: object = {}) =>
    readAll(client.trigger({ ...say(sessionId, text), ...more }, world.as()));
  const promptOf = () => JSON.stringify(world.provider.requests.at(-1)?.body.messages);
  return { world, client, sessionId, read, ask, promptOf };
}

const idsOf = (messages: ReadonlyArray<{ id: string }>) => messages.map(({ id }) => id);
const recentIds = Array.from({ length: recent }, (_, index) => `msg_${count - recent + index}`);
const summaryId = (sessionId: string) => `${sessionId.replace("ses_", "msg_")}_summary`;

describe("a session whose older turns are part of a summary", () => {
  for (const [place, archiveLength] of [
    ["chunks", 1_000],
    ["one document", 1_000_000],
  ] as const) {
    test(`shows the summary instead of them, in all formats and in pages; it keeps its title and number (in ${place})`, async (t) => {
      const { world, client, sessionId, read } = await begin(t, { archiveLength });
      for (const view of [View.UI, View.FULL]) {
        const [summary, ...rest] = await read({ view });
        assert.deepEqual(
          [summary?.id, summary?.role, summary?.status, (summary as { summary?: unknown })?.summary],
          [summaryId(sessionId), "assistant", "done", true],
        );
        assert.deepEqual(
          summary?.parts.map(({ type, text }) => [type, text]),
          [["text", "They count."]],
        );
        assert.deepEqual(idsOf(rest), recentIds);
      }
      const all = [summaryId(sessionId), ...recentIds];
      for (let limit = 1; limit <= all.length + 1; limit++) {
        assert.deepEqual(idsOf(await read({ limit })), all.slice(-limit), `the newest ${limit}`);
        const pages: string[] = [];
        for (let before: string | undefined; ; before = pages[0]) {
          const page = idsOf(await read({ limit, ...(before !== undefined && { beforeMessageId: before }) }));
          pages.unshift(...page);
          if (page.length < limit) break;
        }
        assert.deepEqual(pages, all, `pages of ${limit}`);
      }
      const { sessions } = await client.listSessions({}, world.as());
      assert.deepEqual([sessions[0]?.messageCount, sessions[0]?.title?.slice(0, 10)], [count, "message 0,"]);
    });
  }

  test("accepts the ids of messages that it does not show: nothing but the summary is before them", async (t) => {
    const { world, client, sessionId, read } = await begin(t);
    for (const page of [{}, { limit: 3 }]) {
      assert.deepEqual(idsOf(await read({ beforeMessageId: "msg_7", ...page })), [summaryId(sessionId)]);
      assert.deepEqual(await read({ beforeMessageId: summaryId(sessionId), ...page }), []);
    }
    const unknown = await refusal(readSession(client, { sessionId, beforeMessageId: "msg_x" }, world.as()));
    assert.equal(unknown.reason, Reason.UNKNOWN_MESSAGE);
  });

  test("a rollback to a message that it does not show brings the earlier ones back, for users and models", async (t) => {
    const { read, ask, promptOf } = await begin(t, { answers: ["Four."] });
    await ask("And now?", { rollback: { afterMessageId: "msg_3" } });
    const shown = await read();
    assert.deepEqual(idsOf(shown).slice(0, 4), ["msg_0", "msg_1", "msg_2", "msg_3"]);
    assert.equal(shown.length, 6);
    assert.doesNotMatch(promptOf(), /They count/);
  });

  test("a rollback to the summary keeps the messages that are part of it, and nothing else", async (t) => {
    const { world, sessionId, read, ask, promptOf } = await begin(t, { answers: ["Four.", "Five."] });
    await ask("And now?", { rollback: { afterMessageId: summaryId(sessionId) } });
    assert.equal((await read()).length, 3);
    assert.match(promptOf(), /They count\..*And now\?/);
    assert.doesNotMatch(promptOf(), /message 5\d,/);
    assert.equal((await world.document(sessionId)).messageCount, count - recent + 2);
    await ask("Next?", { rollback: { afterMessageId: null } });
    assert.equal((await read()).length, 2);
  });

  test("reads the same for users and models after a restoration of the messages that it showed", async (t) => {
    const { world, client, sessionId, read, ask, promptOf } = await begin(t, { answers: ["Four.", "Five."] });
    await ask("And now?");
    const before = promptOf();
    const shown = await read();
    await client.clearSession({ sessionId }, world.as());
    const inputJson = JSON.stringify({ MODEL: scriptedModel });
    await client.restoreSession({ sessionId, messagesJson: JSON.stringify(shown), inputJson }, world.as());
    assert.deepEqual(await read(), shown);
    await ask("Next?");
    assert.ok(promptOf().startsWith(before.slice(0, -1)), promptOf());
    assert.deepEqual((await read()).slice(0, shown.length), shown);
  });
});

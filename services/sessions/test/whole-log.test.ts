import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { checkEntry } from "@muster/wire/log-entries/check";
import { describe, type TestContext, test } from "vitest";
import { chat } from "./support/definitions.ts";
import { messagesOf, openSession, readAll, refusal, result, say, startWorld } from "./support/harness.ts";

type Entry = { type: string; id: string; sequence: number } & Record<string, unknown>;

const bounded = {
  ...chat,
  protocol: chat.protocol.replace("agent:\n", "agent:\n  maxToolOutputTokens: 100\n"),
};

/** Some thousand words, so that the beginning does not reveal the rest. */
const words = (count: number, about: string) =>
  Array.from({ length: count }, (_, index) => `${about}${index}`).join(" ");

const question = words(4_000, "question");
const reply = words(4_000, "reply");
const note = words(4_000, "argument");
const rows = Array.from({ length: 1_000 }, (_, row) => ({ row, state: "sent", code: row * 7_919 }));
const table = Array.from({ length: 4_000 }, (_, row) => ({ row, state: "sent", code: row * 7_919 }));

const asks = {
  parts: [
    {
      toolCalls: [
        { id: "call_a", name: "get-order", arguments: { number: note } },
        { id: "call_b", name: "send-mail", arguments: { to: "ada" } },
      ],
    },
  ],
} satisfies ScriptedStep;

const ordinary: ScriptedStep[] = [asks, { parts: [{ text: reply }] }, { parts: [{ text: "Yes." }] }];

/** A turn with a long text, long arguments and two long results, and a short turn behind it. */
async function begin(t: TestContext, archiveLength: number, steps = ordinary) {
  const world = await startWorld(t, steps);
  world.agents.set("agt_chat", [bounded]);
  const instance = await world.addInstance({ archiveLength });
  const { client } = instance;
  const sessionId = await openSession(world, instance);
  const turn = (request: object) =>
    readAll(client.trigger({ ...say(sessionId, question), ...request }, world.as()));
  await turn({});
  await turn({ toolResults: [result("call_a", rows), result("call_b", table)] });
  const list = async (request: object = {}) => {
    const entries: Entry[] = [];
    for await (const { entriesJson } of client.readSessionLog({ sessionId, ...request }, world.as()))
      for (const json of entriesJson) entries.push(JSON.parse(json));
    for (const entry of entries) checkEntry(entry);
    return entries;
  };
  const one = async (entryId: string, as = world.as()) => {
    let json = "";
    for await (const { entryJson } of client.readLogEntry({ sessionId, entryId }, as)) json += entryJson;
    const entry: Entry = JSON.parse(json);
    checkEntry(entry);
    return entry;
  };
  return { world, instance, client, sessionId, turn, list, one };
}

const only = (entries: readonly Entry[], wanted: Record<string, unknown>): Entry => {
  const found = entries.filter((entry) =>
    Object.entries(wanted).every(([name, value]) => entry[name] === value),
  );
  assert.equal(found.length, 1, JSON.stringify(wanted));
  return found[0] ?? assert.fail();
};

describe("the log of a session", () => {
  for (const [place, archiveLength] of [
    ["chunks", 1_000],
    ["one document", 10_000_000],
  ] as const) {
    test(`has the texts, arguments and results of the stored conversation whole, a longer entry by its id (in ${place})`, async (t) => {
      const { world, turn, list, one } = await begin(t, archiveLength);
      await turn({ inputJson: JSON.stringify({ TEXT: "Right?" }) });
      const entries = await list();
      assert.equal(
        only(entries, { type: "message", role: "user", shortened: undefined, text: question }).role,
        "user",
      );
      assert.equal(only(entries, { type: "llm-response", text: reply }).shortened, undefined);
      const { toolCalls } = only(entries, { type: "llm-tool-request" });
      assert.deepEqual((toolCalls as Array<{ args: unknown }>)[0]?.args, { number: note });
      assert.deepEqual(only(entries, { type: "tool-call", toolCallId: "call_a" }).args, { number: note });
      assert.deepEqual(only(entries, { type: "tool-result", toolCallId: "call_a" }).result, rows);
      const listed = only(entries, { type: "tool-result", toolCallId: "call_b" });
      assert.equal(listed.shortened, true);
      assert.ok(JSON.stringify(listed).length < 32 * 1024);
      const whole = await one(listed.id);
      const { shortened: _, ...rest } = listed;
      assert.deepEqual(whole, { ...rest, result: table });
      for (const entry of entries.filter(({ shortened }) => shortened === undefined))
        assert.deepEqual(await one(entry.id), entry);
      const stored = await world.logs.find().toArray();
      assert.ok(
        stored.every(({ entries: text }) => !text.includes('"row":999')),
        "nothing is stored twice",
      );
    });
  }

  test("is returned page by page, with the ids and the numbers of entries", async (t) => {
    const { turn, list } = await begin(t, 1_000);
    await turn({ inputJson: JSON.stringify({ TEXT: "Right?" }) });
    const all = await list();
    const paged: Entry[] = [];
    for (let after: string | undefined; ; after = paged.at(-1)?.id) {
      const page = await list({ limit: 3, ...(after !== undefined && { after }) });
      paged.push(...page);
      if (page.length < 3) break;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(await list({ after: String(all[4]?.sequence) }), all.slice(5));
    for (const request of [{ after: "x" }, { limit: 0 }, { limit: 3_001 }])
      assert.equal((await refusal(list(request))).reason, Reason.INVALID_REQUEST);
  });

  test("says that an entry is shortened if the conversation no longer has its values", async (t) => {
    const { world, instance, client, sessionId, turn, list, one } = await begin(t, 1_000);
    const [first] = await messagesOf(world, instance, sessionId);
    await turn({
      inputJson: JSON.stringify({ TEXT: "Right?" }),
      rollback: { afterMessageId: first?.id ?? "" },
    });
    const entries = await list();
    assert.equal(only(entries, { type: "message", text: question }).shortened, undefined);
    const { id } = only(entries, { type: "tool-result", toolCallId: "call_a" });
    assert.equal((await one(id)).shortened, true);
    assert.equal((await refusal(one("log_x_1048577"))).reason, Reason.NOT_FOUND);
    const token = world.as({ tokenId: "tok_1", agentId: "agt_chat" });
    assert.equal((await refusal(one(id, token))).reason, Reason.FORBIDDEN);
    await client.clearSession({ sessionId }, world.as());
    assert.equal((await refusal(one(id))).reason, Reason.NOT_FOUND);
  });

  test("never completes an entry with the value that another text or turn has in its place", async (t) => {
    const alike = words(4_000, "alike");
    const { world, instance, sessionId, turn, list } = await begin(t, 10_000_000, [
      asks,
      { parts: [{ text: `${alike}.` }] },
      { parts: [{ text: `${alike}?` }, ...asks.parts] },
      { parts: [{ text: `${alike}!` }] },
    ]);
    const [first] = await messagesOf(world, instance, sessionId);
    await turn({ rollback: { afterMessageId: first?.id ?? "" } });
    const later = rows.toReversed();
    await turn({ toolResults: [result("call_a", later), result("call_b", "Sent.")] });
    const entries = await list();
    const results = entries.filter(
      ({ type, toolCallId }) => type === "tool-result" && toolCallId === "call_a",
    );
    assert.deepEqual(
      results.map(({ shortened }) => shortened),
      [true, undefined],
    );
    assert.deepEqual(results[1]?.result, later);
    const texts = entries.filter(({ type }) => type === "llm-response");
    assert.equal(texts[0]?.shortened, true);
    assert.deepEqual(
      texts.slice(1).map(({ text }) => text),
      [`${alike}?`, `${alike}!`],
    );
  });

  test("keeps the entries of every stored turn, however many they are, and of other turns as far as there is room", async (t) => {
    const turns = 40;
    const world = await startWorld(t, [
      { parts: [{ text: "Removed." }] },
      ...Array.from({ length: turns }, (_, turn) => ({ parts: [{ text: `Reply ${turn}.` }] })),
    ]);
    const instance = await world.addInstance({ archiveLength: 1_000, executionLog: { maxLength: 1_000 } });
    const sessionId = await openSession(world, instance);
    const ask = (text: string, more: object = {}) =>
      readAll(instance.client.trigger({ ...say(sessionId, text), ...more }, world.as()));
    await ask("Removed?");
    await ask("Turn 0", { rollback: {} });
    for (let turn = 1; turn < turns; turn++) await ask(`Turn ${turn}`);
    await until(
      "the log is trimmed",
      async () => !JSON.stringify(await world.logs.find().toArray()).includes("Removed"),
    );
    const texts: unknown[] = [];
    for await (const { entriesJson } of instance.client.readSessionLog({ sessionId }, world.as()))
      for (const json of entriesJson) {
        const { type, text } = JSON.parse(json);
        if (type === "message" || type === "llm-response") texts.push(text);
      }
    assert.deepEqual(
      texts,
      Array.from({ length: turns }, (_, turn) => [`Turn ${turn}`, `Reply ${turn}.`]).flat(),
    );
  });
});

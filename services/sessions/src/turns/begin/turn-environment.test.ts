import assert from "node:assert/strict";
import { beginTurn } from "@muster/engine";
import { beginningOf, emptyConversation, program } from "@muster/engine/testing";
import { ManualClock } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { createTurnEnvironment } from "./turn-environment.ts";

const at = new Date(Date.UTC(2026, 5, 1));

/** Another process at another time. */
function environmentFrom(seed: string, nowMs: number) {
  let count = 0;
  const newId = (prefix: string) => `${prefix}_live_${nowMs}_${++count}`;
  return createTurnEnvironment(
    { newId, clock: new ManualClock(nowMs), contextWindow: () => undefined },
    { seed, at },
  );
}

describe("the ids and times of a turn", () => {
  test("another process makes the same first effects from the same beginning, for every program", () => {
    const property = fc.property(program, fc.string(), fc.string(), (definition, seed, otherSeed) => {
      const firstEffects = (from: string, nowMs: number) => {
        const turn = { program: definition, conversation: emptyConversation(), executionId: "exe_1" };
        const start = { ...turn, ...beginningOf(definition, "words"), dynamicTools: [] };
        const machine = beginTurn(start, environmentFrom(from, nowMs));
        const effects = machine.advance({ type: "start" });
        return structuredClone([effects, machine.conversation, machine.frame]);
      };
      const first = firstEffects(seed, 1);
      assert.deepEqual(firstEffects(seed, 2), first);
      if (otherSeed !== seed) assert.notDeepEqual(firstEffects(otherSeed, 1), first);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("seeded ids look like all others and never repeat; live ones follow no seed", () => {
    const environment = environmentFrom("seed", 7);
    const ids = Array.from({ length: 100 }, () => environment.newId("msg"));
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^msg_[0-9a-hjkmnp-tv-z]{30}$/);
    assert.equal(new Set(ids.map((id) => id.slice(0, 14))).size, 1);
    assert.equal(environment.now(), at.getTime());
    environment.goLive();
    assert.deepEqual([environment.newId("msg"), environment.now()], ["msg_live_7_1", 7]);
  });
});

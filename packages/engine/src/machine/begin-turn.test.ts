import assert from "node:assert/strict";
import { test } from "vitest";
import { answer, call, results, start } from "../../test/support/model-parts.ts";
import { countingEnvironment, emptyConversation, play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import { frameFrom } from "../boundary/frame.ts";
import { beginTurn, continueTurn } from "./begin-turn.ts";

const program = programOf({ blocks: [say("Hello"), ask()], tools: { find: "name" } });

test("an unknown trigger starts no turn, whatever its name", () => {
  for (const triggerName of ["other", "toString", "__proto__"]) {
    assert.throws(
      () =>
        beginTurn(
          {
            program,
            conversation: emptyConversation(),
            executionId: "exe_1",
            sessionInput: {},
            triggerName,
            triggerInput: {},
            dynamicTools: [],
          },
          countingEnvironment(),
        ),
      /The program has no trigger/,
    );
  }
});

test("a turn continues from a frame that another process stored; a damaged frame is refused", () => {
  const { machine } = play(program, [start, ...answer(call("c1", "find"))]);
  const stored = () =>
    JSON.parse(JSON.stringify({ conversation: machine.conversation, frame: machine.frame }));
  const resume = (damage: object) => {
    const frame = frameFrom(JSON.parse(JSON.stringify({ ...stored().frame, ...damage })));
    return continueTurn({ program, sessionInput: {}, ...stored(), frame }, countingEnvironment(50));
  };
  const effects = resume({}).advance(results({ c1: 1 }));
  assert.equal(effects.at(-1)?.type, "call-model");
  for (const damage of [{ phase: "lost" }, { blockIndex: "0" }, { open: {} }, { dynamicTools: null }]) {
    assert.throws(() => resume(damage), /The stored frame of execution exe_1 is damaged/);
  }
});

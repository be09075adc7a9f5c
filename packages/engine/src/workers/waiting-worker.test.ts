import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { checkStream } from "../../test/support/check-stream.ts";
import { abort, answer, call, results, start, text } from "../../test/support/model-parts.ts";
import { countingEnvironment, eventsOf, play } from "../../test/support/play.ts";
import { ask, open, programOf, say, use, workerOf } from "../../test/support/programs.ts";
import type { Input, LibraryWorker, Machine } from "../boundary/machine.ts";
import { continueTurn } from "../machine/begin-turn.ts";
import type { StreamEvent } from "../shown/events.ts";

const caller = programOf({
  blocks: [ask()],
  workers: { finds: "stream", thinks: "stream" },
  agent: { workers: ["finds", "thinks"] },
});
const programs = {
  finds: workerOf({ steps: [use("find"), open("main"), ask()], tools: { find: "stream" } }),
  thinks: workerOf({ steps: [open("main"), say("Hi"), ask()] }),
};
const workers = new Map(
  Object.entries(programs).map(([slug, program]): [string, LibraryWorker] => {
    return [slug, { agentId: slug, agentVersion: 1, program }];
  }),
);

/** One worker waits for a tool, and the other one's model is answering. */
function begin() {
  const both = answer(call("a", "finds", { TEXT: "x" }), call("b", "thinks", { TEXT: "y" }));
  const { machine, events } = play(caller, [start, ...both], { workers });
  return { machine, events };
}

function inAnotherProcess({ conversation, frame }: Machine, idsFrom: number): Machine {
  const stored = structuredClone({ conversation: { ...conversation }, frame: { ...frame } });
  return continueTurn(
    { program: caller, sessionInput: {}, workers, ...stored },
    countingEnvironment(idsFrom),
  );
}

function take(machine: Machine, inputs: readonly Input[]): StreamEvent[] {
  return inputs.flatMap((input) => machine.advance(input)).flatMap(eventsOf);
}

/** The whole answer of the model of the worker in flight. */
function answerOf({ frame }: Machine, words: string): Input[] {
  const run = frame.workers?.find((each) => each.frame.phase === "model");
  const { workerId = "" } = run?.frame ?? {};
  return answer(text(words)).map((input) =>
    input.type === "model-part" || input.type === "model-done" ? { ...input, workerId } : input,
  );
}

describe("a worker that waits for a tool while another one works", () => {
  test("its block ends in the stream, also if another process continues and pauses the turn", () => {
    const { machine, events } = begin();
    const adopter = inAnotherProcess(machine, 1_000);
    const redone = take(adopter, [{ type: "repeat-calls", lostEvents: 0 }]);
    const rest = take(adopter, answerOf(adopter, "Ready."));
    assert.equal(adopter.frame.phase, "waiting");
    checkStream([...events, ...redone, ...rest]);
  });

  test("its block ends in the stream, also if another process continues and the turn is cancelled", () => {
    const { machine, events } = begin();
    const adopter = inAnotherProcess(machine, 1_000);
    const redone = take(adopter, [{ type: "repeat-calls", lostEvents: 0 }]);
    checkStream([...events, ...redone, ...take(adopter, [abort])]);
  });

  test("after a pause no stream ends its block again, in this process or another", () => {
    for (const moves of [false, true]) {
      const { machine } = begin();
      take(machine, answerOf(machine, "Ready."));
      const next = moves ? inAnotherProcess(machine, 1_000) : machine;
      const [pending] = next.frame.pendingToolCalls;
      const found = take(next, [results({ [pending?.toolCallId ?? ""]: "gold" })]);
      checkStream([...found, ...take(next, answerOf(next, "Gold.")), ...take(next, answer(text("Done.")))]);
    }
  });
});

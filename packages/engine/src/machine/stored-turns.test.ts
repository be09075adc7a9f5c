import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { checkStream } from "../../test/support/check-stream.ts";
import { answer, results, text } from "../../test/support/model-parts.ts";
import { countingEnvironment, readEffects } from "../../test/support/play.ts";
import { ask, programOf, put, say, use } from "../../test/support/programs.ts";
import { frameFrom } from "../boundary/frame.ts";
import type { Machine } from "../boundary/machine.ts";
import { settle } from "../conversation/messages.ts";
import type { StreamEvent } from "../shown/events.ts";
import { toUiMessages } from "../shown/ui-messages.ts";
import { continueTurn } from "./begin-turn.ts";

/** The program whose turns are in `testing/stored`. Files there never change: installations contain such sessions. */
const program = programOf({
  blocks: [
    say("Hello"),
    ask(),
    put("CART", "TEXT"),
    say("Check it.", { visible: false }),
    ask({ independent: true, output: "MOOD" }),
    use("find", { output: "FOUND" }),
    ask({ display: "name" }),
    ask(),
  ],
  tools: { find: "stream" },
  agent: { backupModel: { id: "demo/backup" } },
});

/** From before threads had names and tokens were counted. */
const stored = ["paused-by-model", "paused-aside", "paused-by-block", "saved-before-step"];

for (const name of stored) {
  test(`the stored turn ${name} continues to its end`, () => {
    const machine = continueTurn({ program, sessionInput: {}, ...read(name) }, countingEnvironment(100));
    const { outcome, streams } = toEnd(machine);
    assert.equal(outcome, "finished");
    for (const events of streams) checkStream(events);
    const { resources, variables } = machine.conversation;
    assert.deepEqual([resources, variables.FOUND], [{ CART: "Hello" }, "gold"]);
    assert.match(JSON.stringify(toUiMessages(machine.conversation)), /Said/);
  });

  test(`the stored turn ${name} is closed after its process died`, () => {
    const { conversation } = read(name);
    assert.ok(settle(conversation).messages.every(({ status }) => status === "done"));
  });
}

/** Answers every tool call with `gold` and every model call with `Said`. Returns the streams that begin here. */
function toEnd(machine: Machine) {
  const streams: StreamEvent[][] = [];
  let outcome: string | undefined;
  while (outcome === undefined || outcome === "paused") {
    const { phase, pendingToolCalls } = machine.frame;
    const golden = Object.fromEntries(pendingToolCalls.map(({ toolCallId }) => [toolCallId, "gold"]));
    if (phase === "waiting") streams.push([]);
    const inputs = phase === "waiting" ? [results(golden)] : answer(text("Said"));
    const read = readEffects(inputs.flatMap((input) => machine.advance(input)));
    streams.at(-1)?.push(...read.events);
    outcome = read.outcome;
  }
  return { outcome, streams };
}

function read(name: string) {
  const { conversation, frame } = JSON.parse(
    readFileSync(new URL(`../../test/support/stored/${name}.json`, import.meta.url), "utf8"),
  );
  return { conversation, frame: frameFrom(JSON.parse(JSON.stringify(frame))) };
}

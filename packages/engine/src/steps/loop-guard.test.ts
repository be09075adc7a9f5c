import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { checkStream } from "../../test/support/check-stream.ts";
import { answer, call, openText, parts, start, text } from "../../test/support/model-parts.ts";
import { lines, play } from "../../test/support/play.ts";
import { ask, programOf, put, say } from "../../test/support/programs.ts";
import { toUiMessages } from "../shown/ui-messages.ts";
import { LoopGuard } from "./loop-guard.ts";

/** Feeds a text in pieces of the given sizes, again and again. */
function feed(guard: LoopGuard, whole: string, sizes: readonly number[]): string {
  let [shown, at, turn] = ["", 0, 0];
  while (at < whole.length && !guard.isLooping) {
    const size = sizes[turn++ % sizes.length] ?? 1;
    shown += guard.take(whole.slice(at, at + size));
    at += size;
  }
  return shown + guard.release();
}

const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });
const characters = fc.string({ unit: "grapheme", maxLength: 200 });

/** Random words, without long repetitions. */
const prose = fc
  .array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 400 })
  .map((numbers) => numbers.map((number) => number.toString(36)).join(" "));

describe("the loop guard", () => {
  test("the loop guard cuts every short string that repeats endlessly, and shows little of it", () => {
    fc.assert(
      fc.property(
        characters,
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
        sizes,
        (before, unit, sizes) => {
          const period = unit.length;
          fc.pre(period <= 128);
          const whole = before + unit.repeat(Math.ceil(4_000 / period));
          const guard = new LoopGuard();
          const shown = feed(guard, whole, sizes);
          assert.ok(guard.isLooping);
          assert.ok(whole.startsWith(shown));
          assert.ok(shown.length <= before.length + Math.max(32, 3 * period) + 32, String(shown.length));
          assert.ok(shown.isWellFormed() || !whole.isWellFormed());
        },
      ),
    );
  });

  test("the loop guard passes on all other text unchanged, whatever the size of the pieces", () => {
    const ruled = fc
      .tuple(prose, fc.constantFrom("-", " ", "=|", "| --- ", "\n"), fc.nat(120), prose)
      .map(([before, unit, length, after]) => `${before}${unit.repeat(length / unit.length)}${after}`);
    fc.assert(
      fc.property(ruled, sizes, (whole, sizes) => {
        const guard = new LoopGuard();
        assert.equal(feed(guard, whole, sizes), whole);
        assert.equal(guard.isLooping, false);
      }),
    );
  });

  test("the loop guard shows withheld text as soon as the repetition ends", () => {
    const guard = new LoopGuard();
    let shown = "";
    for (let count = 0; count < 30; count += 1) shown += guard.take("na ");
    assert.ok(shown.length < 90);
    shown += guard.take("Batman!");
    assert.equal(shown, `${"na ".repeat(30)}Batman!`);
  });

  test("the loop guard does a limited amount of work per character", () => {
    const guard = new LoopGuard();
    const line = (index: number) => `${index} ${"ab".repeat(20)}${index * 7919}\n`;
    const before = process.cpuUsage();
    for (let index = 0; index < 20_000; index += 1) guard.take(line(index));
    assert.ok(process.cpuUsage(before).user < 5_000_000);
    assert.equal(guard.isLooping, false);
  });
});

describe("a model that repeats itself", () => {
  const agent = { loopGuard: true, backupModel: { id: "demo/backup" } };
  const blocks = [say("Hello"), ask({ output: "OUT" }), put("R", "OUT")];
  const program = programOf({ blocks, agent, tools: { find: "stream" } });
  const loop = "I am sorry. ".repeat(200);

  test("a model that repeats itself is cut; the text that users saw is kept, and the turn continues", () => {
    const inputs = [start, ...parts(openText(`Well. ${loop}`))];
    const played = play(program, inputs);
    checkStream(played.events);
    assert.deepEqual([played.outcome, lines(played.events).at(-1)], ["finished", "finish other"]);
    const kept = played.machine.conversation.resources.R;
    assert.ok(typeof kept === "string" && kept.length < 100 && kept.startsWith("Well. I am sorry. "));
    const live = played.events.flatMap((event) => (event.type === "text-delta" ? event.delta : []));
    assert.equal(live.join(""), kept);
    assert.deepEqual(toUiMessages(played.machine.conversation)[1]?.parts[0], {
      type: "text",
      text: kept,
      status: "done",
    });
  });

  test("a model that repeats itself is not cut if the thread has no loop guard", () => {
    const { loopGuard: _, ...unguarded } = agent;
    const played = play(programOf({ blocks, agent: unguarded }), [start, ...answer(text(loop))]);
    assert.equal(played.machine.conversation.resources.R, loop);
  });

  test("a call whose arguments repeat endlessly is not made", () => {
    const half = call("c1", "find", { raw: `{"q":"${loop.repeat(3)}` }).slice(0, 2);
    const played = play(program, [start, ...parts(half)]);
    checkStream(played.events);
    assert.equal(played.outcome, "finished");
    assert.deepEqual(
      toUiMessages(played.machine.conversation)[1]?.parts.map((part) => "status" in part && part.status),
      ["cancelled", "done"],
    );
  });

  test("a model that is cut keeps its earlier calls", () => {
    const played = play(program, [start, ...parts(call("c1", "find"), openText(loop))]);
    assert.equal(played.outcome, "paused");
    assert.equal(played.machine.frame.pendingToolCalls.length, 1);
  });

  test("withheld text is shown if the output ends in time", () => {
    const short = "ha ".repeat(30);
    const { events } = play(program, [start, ...answer(text(short))]);
    const live = events.flatMap((event) => (event.type === "text-delta" ? event.delta : []));
    assert.equal(live.join(""), short);
    checkStream(events);
  });
});

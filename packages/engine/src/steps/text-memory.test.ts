import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import { openText, start } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function liveBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test("a text that a model is writing takes little more memory than its characters", () => {
  const { machine } = play(programOf({ blocks: [say("Hello"), ask()] }), [start]);
  for (const part of openText("Once")) machine.advance({ type: "model-part", part });
  const before = liveBytes();
  const deltas = 200_000;
  for (let i = 0; i < deltas; i++) {
    const delta = `w${String(i % 1000).padStart(4, "0")}`;
    machine.advance({ type: "model-part", part: { type: "text-delta", id: "0", delta } });
  }
  const grownBytes = liveBytes() - before;
  assert.match(JSON.stringify(machine.conversation), /Oncew0000w0001/);
  assert.ok(grownBytes < 3 * 5 * deltas, `${grownBytes} bytes for ${5 * deltas} characters`);
});

/** What a model call holds for each byte of its files; see `bench/README.md`. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { scriptedTargets } from "@muster/models/testing";

/** One target of each wire format that takes documents as bytes. */
const targets = new Map(
  scriptedTargets
    .filter(({ modelId }) => !modelId.startsWith("xai/"))
    .map((each) => [each.format, each.modelId]),
);
/** One letter beyond Latin-1 makes every character of the request's text two bytes. */
const messages = { "Latin-1": "What do they say?", "beyond Latin-1": "What do they say? 何" };

console.log(
  "format, message: held while the provider reads, most at any time; as multiples of the files' size",
);
for (const [format, modelId] of targets) {
  for (const [name, message] of Object.entries(messages)) {
    const child = fork(join(import.meta.dirname, "call.ts"), [modelId, message], {
      execArgv: ["--expose-gc"],
    });
    const [{ held, peak }] = await once(child, "message");
    console.log(`${format}, ${name}: ${held.toFixed(2)}, ${peak.toFixed(2)}`);
    await once(child, "exit");
  }
}

// One measurement in a process of its own: `node fresh.ts yaml|compile` prints the milliseconds from the first import
// until the first parse or compilation has ended.
import { soundDefinition } from "./sample.ts";

const sample = soundDefinition();
const startMs = performance.now();
if (process.argv[2] === "yaml") {
  const { parseDocument } = await import("yaml");
  parseDocument(sample.protocol);
} else {
  const { compileDefinition } = await import("@muster/language/compile");
  if (!compileDefinition(sample).ok) throw new Error("The sample does not compile");
}
process.stdout.write(String(performance.now() - startMs));

/** The cost of compiling agent definitions; see `bench/README.md`. */
import { parseArgs } from "node:util";
import { Report } from "@muster/language";
import { compileDefinition, parseYaml, printProtocol } from "@muster/language/compile";
import { parseDocument } from "yaml";
import { median, medianRatio, print } from "../support/figures.ts";
import { measureCachedProgram } from "./cached-program.ts";
import { measureGenerated } from "./generated.ts";
import { measureHostile } from "./hostile.ts";
import { brokenDefinition, sampleSize, soundDefinition } from "./sample.ts";
import { leastOf, timeSideBySide } from "./timing.ts";

const { values } = parseArgs({
  options: {
    /** Fewer rounds and definitions: for a look, not for figures. */
    quick: { type: "boolean", default: false },
    /** How many definitions are generated, and which ones. */
    count: { type: "string" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const amount = (quick: number, full: number) => (values.quick ? quick : full);

print({ name: "", values: ["here", "yaml", "here / yaml"] });
compileSample();
row("cached program lookup (µs)", await measureCachedProgram(amount(10, 50)), { most: 2 });
await refuseHostile();
compileGenerated(Number(values.count ?? amount(1_000, 10_000)), Number(values.seed));

function compileSample(): void {
  const [sound, broken] = [soundDefinition(), brokenDefinition()];
  const tree = parseYaml(sound.protocol, new Report());
  if (tree === undefined || !compileDefinition(sound).ok) throw new Error("The sample does not compile");
  const timing = timeSideBySide(
    {
      yaml: () => parseDocument(sound.protocol),
      compile: () => compileDefinition(sound),
      yamlOfBroken: () => parseDocument(broken.protocol),
      validate: () => compileDefinition(broken),
      print: () => printProtocol(tree),
    },
    amount(5, 20),
    amount(20, 50),
  );
  const [yaml, compile] = [timing("yaml"), timing("compile")];
  const yamlMs = leastOf(yaml);
  const ratio = medianRatio(compile, yaml);
  const { lines, prompts, errors } = sampleSize;
  print({
    name: `compile, ${lines} lines and ${prompts} prompts (CPU ms)`,
    values: [leastOf(compile), yamlMs, ratio],
    note: "at most 10 or 1.6x",
    isReached: leastOf(compile) <= 10 || ratio <= 1.6,
  });
  const ofBroken = { yaml: leastOf(timing("yamlOfBroken")), most: 15 };
  row(`validate, the same with ${errors} errors (CPU ms)`, leastOf(timing("validate")), ofBroken);
  row("print (CPU ms)", leastOf(timing("print")), { yaml: yamlMs });
}

async function refuseHostile(): Promise<void> {
  const { cases, worstStallMs } = await measureHostile(amount(2, 4));
  for (const { name, refusedMs, codes } of cases)
    console.error(`  ${name}: ${refusedMs.toFixed(1)} ms, ${codes.join(", ")}`);
  const slowest = Math.max(...cases.map(({ refusedMs }) => refusedMs));
  row(`hostile YAML refused, the slowest of ${cases.length} (CPU ms)`, slowest, { most: 100 });
  row("  longest stall of the main thread meanwhile (ms)", worstStallMs);
}

function compileGenerated(count: number, seed: number): void {
  const { compileMs, yamlMs, worst, sound } = measureGenerated(count, seed);
  console.error(`  seed ${seed}: ${sound} compiled, the others were refused`);
  row(`generated definition, median of ${count} (ms)`, median(compileMs), { yaml: median(yamlMs) });
  row(`  the slowest, number ${worst.index} of ${worst.bytes} bytes (ms)`, worst.ms, { most: 1_000 });
}

function row(name: string, value: number, { yaml, most }: { yaml?: number; most?: number } = {}): void {
  const target = most !== undefined && { note: `at most ${most}`, isReached: value <= most };
  print({ name, values: yaml === undefined ? [value] : [value, yaml, value / yaml], ...target });
}

import { isDeepStrictEqual } from "node:util";
import { type DefinitionSource, Report } from "@muster/language";
import { compileDefinition, parseYaml, printProtocol } from "@muster/language/compile";
import { validDefinitions, wildDefinitions } from "@muster/language/testing";
import fc from "fast-check";
import { parseDocument } from "yaml";
import { type Distribution, distributionOf } from "./timing.ts";

export interface GeneratedResult {
  compile: Distribution;
  /** `parseDocument` of the same texts. */
  yaml: Distribution;
  /** The index of the definition that takes longest. */
  worst: { index: number; ms: number; bytes: number };
  sound: number;
  refused: number;
  /** The number of different diagnostic codes reported. */
  codes: number;
}

/**
 * Compiles definitions, every second one damaged, and prints and compiles again each one that parses.
 * @throws Error if a valid one is refused, if printing changes a program, or if the compiler throws.
 */
export function measureGenerated(count: number, seed: number): GeneratedResult {
  const half = Math.ceil(count / 2);
  const right = fc.sample(validDefinitions(), { numRuns: half, seed });
  const wild = fc.sample(wildDefinitions(), { numRuns: count - half, seed });
  const definitions = right.flatMap((source, index) => [source, ...wild.slice(index, index + 1)]);
  const [compileMs, yamlMs]: [number[], number[]] = [[], []];
  const codes = new Set<string>();
  let sound = 0;
  for (const [index, source] of definitions.entries()) {
    const compiled = timed(compileMs, () => compileDefinition(source));
    timed(yamlMs, () => parseDocument(source.protocol));
    for (const { code } of compiled.issues) codes.add(code);
    if (compiled.ok) sound += 1;
    else if (index % 2 === 0) throw new Error(`The valid definition ${index} of seed ${seed} was refused`);
    checkPrinted(source, compiled, `definition ${index} of seed ${seed}`);
  }
  return {
    compile: distributionOf(compileMs),
    yaml: distributionOf(yamlMs),
    worst: findSlowest(definitions, compileMs),
    sound,
    refused: definitions.length - sound,
    codes: codes.size,
  };
}

/** The slowest ones are timed again: the machine may have been busy with other work. */
function findSlowest(definitions: readonly DefinitionSource[], compileMs: readonly number[]) {
  const suspects = [...compileMs.keys()]
    .sort((a, b) => (compileMs[b] ?? 0) - (compileMs[a] ?? 0))
    .slice(0, 20);
  const timings = suspects.map((index) => {
    const source = definitions[index];
    const againMs: number[] = [];
    for (let i = 0; i < 3 && source !== undefined; i++) timed(againMs, () => compileDefinition(source));
    const ms = Math.min(compileMs[index] ?? 0, ...againMs);
    return { index, ms, bytes: Buffer.byteLength(source?.protocol ?? "") };
  });
  return timings.reduce((worst, one) => (one.ms > worst.ms ? one : worst), { index: 0, ms: 0, bytes: 0 });
}

function timed<T>(samplesMs: number[], run: () => T): T {
  const startMs = performance.now();
  const result = run();
  samplesMs.push(performance.now() - startMs);
  return result;
}

function checkPrinted(
  source: DefinitionSource,
  compiled: ReturnType<typeof compileDefinition>,
  which: string,
): void {
  const report = new Report();
  const tree = parseYaml(source.protocol, report);
  // The tree contains only one of two duplicate keys.
  if (tree === undefined || report.list().length > 0) return;
  const printed = compileDefinition({ ...source, protocol: printProtocol(tree) });
  const same = isDeepStrictEqual(compiled.ok && compiled.program, printed.ok && printed.program);
  if (!same) throw new Error(`Printing changes ${which}`);
}

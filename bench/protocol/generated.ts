import { isDeepStrictEqual } from "node:util";
import { type DefinitionSource, Report } from "@muster/language";
import { compileDefinition, parseYaml, printProtocol } from "@muster/language/compile";
import { validDefinitions, wildDefinitions } from "@muster/language/testing";
import fc from "fast-check";
import { parseDocument } from "yaml";
import { timed } from "./timing.ts";

export interface GeneratedResult {
  compileMs: number[];
  /** The times of `parseDocument` for the same texts. */
  yamlMs: number[];
  /** The index of the definition that takes longest. */
  worst: { index: number; ms: number; bytes: number };
  /** The number that compiles. */
  sound: number;
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
  let sound = 0;
  for (const [index, source] of definitions.entries()) {
    const { tookMs, result: compiled } = timed(() => compileDefinition(source));
    compileMs.push(tookMs);
    yamlMs.push(timed(() => parseDocument(source.protocol)).tookMs);
    if (compiled.ok) sound += 1;
    else if (index % 2 === 0) throw new Error(`The valid definition ${index} of seed ${seed} was refused`);
    checkPrinted(source, compiled, `definition ${index} of seed ${seed}`);
  }
  return { compileMs, yamlMs, worst: findSlowest(definitions, compileMs), sound };
}

/** The slowest ones are timed again: the machine may have been busy with other work. */
function findSlowest(definitions: readonly DefinitionSource[], compileMs: readonly number[]) {
  const times = definitions.map((source, index) => ({ source, index, ms: compileMs[index] ?? 0 }));
  const suspects = times.sort((a, b) => b.ms - a.ms).slice(0, 20);
  let worst = { index: 0, ms: 0, bytes: 0 };
  for (const { source, index, ms } of suspects) {
    const again = [1, 2, 3].map(() => timed(() => compileDefinition(source)).tookMs);
    const best = Math.min(ms, ...again);
    if (best > worst.ms) worst = { index, ms: best, bytes: Buffer.byteLength(source.protocol) };
  }
  return worst;
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

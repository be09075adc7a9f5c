import { monitorEventLoopDelay } from "node:perf_hooks";
import type { DefinitionSource } from "@muster/language";
import { silentLogger } from "@muster/service";
import { createDefinitionChecker } from "../../services/agents/src/definition/checker.ts";
import { cpuMsOf } from "./timing.ts";

export interface HostileResult {
  name: string;
  /**
   * CPU time of all threads, from sending the definition on the main thread until its refusal arrives, in the least
   * disturbed round.
   */
  refusedMs: number;
  codes: string[];
}

const runsPerRound = 3;
const KiB = 1024;
const limit = 128 * KiB;

/** YAML that costs a parser with default settings seconds or gigabytes, above 128 KiB and just below. */
const documents: Record<string, () => string> = {
  "10 MB of keys": () => filled(10_000 * KiB, (i) => `k${i}: 1\n`),
  "10 MB of one word": () => "x".repeat(10_000 * KiB),
  "0.5 MB of plain keys": () => filled(512 * KiB, (i) => `k${i}: 1\n`),
  "128 KiB of plain keys": () => filled(limit, (i) => `k${i}: 1\n`),
  "128 KiB of one key": () => filled(limit, () => "a:\n"),
  "an alias bomb": () => `a0: &a0 [x,x]\n${times(40, (i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]\n`)}`,
  "128 KiB of aliases": () => `a: &a x\n${filled(limit - 100, (i) => `b${i}: *a\n`)}`,
  "128 KiB of anchors": () => filled(limit, (i) => `- &a${i} x\n`),
  "deep lists": () => "[".repeat(limit),
  "deep maps": () => "{a:".repeat(limit / 3),
  "deep blocks on one line": () => "- ".repeat(limit / 2),
  "deep blocks on many lines": () => times(500, (i) => `${" ".repeat(i)}a:\n`),
  "explicit keys in keys": () => "? ".repeat(limit / 2),
  "a flow list of 43,000 words": () => `a: [${filled(limit - 100, () => "x, ")}]`,
  "128 KiB of tags": () => filled(limit, (i) => `- !t${i} x\n`),
  "128 KiB of documents": () => filled(limit, () => "---\n"),
  "128 KiB of quotes": () => '"'.repeat(limit),
  "128 KiB of bad escapes": () => filled(limit, () => '- "a\\x"\n'),
  "a comment of 128 KiB of spaces": () => `a: 1 #${" ".repeat(limit - 10)}`,
  "128 KiB of empty lines and a tab": () => `${"\n".repeat(limit - 10)}\ta: 1`,
  "a folded text of 128 KiB": () => `a: "${filled(limit - 100, () => "x\n ")}`,
};

/** Sends each document through the agents service's own checker. The stall is the longest time for which the main thread was blocked. */
export async function measureHostile(
  rounds: number,
): Promise<{ cases: HostileResult[]; worstStallMs: number }> {
  const checker = createDefinitionChecker({ log: silentLogger, cpuMs: 3_000 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const { signal } = new AbortController();
  try {
    await checker.check("prj_1", source("a: 1"), signal);
    delay.enable();
    const cases: HostileResult[] = [];
    for (const [name, make] of Object.entries(documents)) {
      const hostile = source(make());
      const codes = new Set<string>();
      let refusedMs = Number.POSITIVE_INFINITY;
      for (let round = 0; round < rounds; round++) {
        const roundMs = await cpuMsOf(async () => {
          for (let run = 0; run < runsPerRound; run++) {
            const { issues } = await checker.check("prj_1", hostile, signal);
            for (const { code } of issues) codes.add(code);
          }
        });
        refusedMs = Math.min(refusedMs, roundMs / runsPerRound);
      }
      cases.push({ name, refusedMs, codes: [...codes] });
    }
    return { cases, worstStallMs: delay.max / 1e6 };
  } finally {
    delay.disable();
    await checker.close();
  }
}

function source(protocol: string): DefinitionSource {
  return {
    settings: { slug: "a", name: "A", format: "interactive" },
    protocol,
    prompts: [],
    references: [],
  };
}

function filled(size: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let index = 0, length = 0; length < size - 20; index++) {
    const next = piece(index);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join("");
}

function times(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join("");
}

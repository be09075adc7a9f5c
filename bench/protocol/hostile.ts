import { monitorEventLoopDelay } from "node:perf_hooks";
import type { DefinitionSource } from "@muster/language";
import { hostileDocuments } from "@muster/language/testing/hostile";
import { silentLogger } from "@muster/service";
import { createDefinitionChecker } from "../../services/agents/src/definition/definition-checker.ts";
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

/** The last two are larger than a definition may be. */
const documents = {
  ...hostileDocuments,
  "10 MB of keys": Array.from({ length: 900_000 }, (_, index) => `k${index}: 1\n`).join(""),
  "10 MB of one word": "x".repeat(10_000_000),
};

/**
 * Sends each document through the agents service's own checker. The stall is the longest time for which the main thread
 * was blocked.
 */
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
    for (const [name, text] of Object.entries(documents)) {
      const hostile = source(text);
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
  const settings = { slug: "a", name: "A", format: "interactive" } as const;
  return { settings, protocol, prompts: [], references: [] };
}

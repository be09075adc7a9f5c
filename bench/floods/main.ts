/** How long floods of work stop all other requests; see `bench/README.md`. */
import { parseArgs } from "node:util";
import { print } from "../support/figures.ts";
import { arrivals } from "./arrivals.ts";
import type { FloodGroup } from "./flood.ts";
import { largeValues } from "./large-values.ts";
import { startProvider } from "./provider.ts";
import { reads } from "./reads.ts";
import { startWatchedServer } from "./server.ts";
import { starts } from "./starts.ts";
import { stoppedReaders } from "./stopped-readers.ts";

/** Nothing that comes from outside may hold a service's main loop for longer. */
const targetMs = 50;

/** All floods, by the name that selects them. Each group begins with a fresh server. */
const floods: Readonly<Record<string, FloodGroup>> = {
  arrivals,
  "large-values": largeValues,
  reads,
  starts,
  "stopped-readers": stoppedReaders,
};

const { values } = parseArgs({
  options: {
    /** How often each flood is sent to a fresh server; the least disturbed round counts. */
    rounds: { type: "string", default: "3" },
    /** Groups, separated by commas. */
    only: { type: "string", default: Object.keys(floods).join(",") },
  },
});

interface Result {
  heldMs: number[];
  tookMs: number[];
  failure?: string;
}

print({ name: "flood", values: ["held (ms)", "reply (ms)"] });
for (const name of values.only.split(",")) {
  const group = floods[name];
  if (group === undefined) throw new Error(`--only accepts ${Object.keys(floods).join(",")}`);
  const results = new Map<string, Result>();
  for (let round = 0; round < Number(values.rounds); round++) await measureRound(group, results);
  for (const [flood, { heldMs, tookMs, failure }] of results) {
    const held = Math.min(...heldMs);
    const isReached = failure === undefined && held <= targetMs;
    print({ name: flood, values: [held, Math.min(...tookMs)], note: failure ?? "", isReached });
  }
}

async function measureRound(group: FloodGroup, results: Map<string, Result>): Promise<void> {
  const provider = await startProvider();
  try {
    const server = await startWatchedServer(provider.url);
    try {
      for await (const { name, send } of group(server)) {
        const result = results.get(name) ?? { heldMs: [], tookMs: [] };
        results.set(name, result);
        await server.measured();
        const startMs = performance.now();
        await send().catch((error: Error) => {
          result.failure = error.message;
        });
        result.tookMs.push(performance.now() - startMs);
        result.heldMs.push(await server.measured());
      }
    } finally {
      await server.stop();
    }
  } finally {
    await provider.stop();
  }
}

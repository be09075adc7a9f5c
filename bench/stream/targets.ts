import { runLoad } from "./load.ts";
import { type MusterOptions, startMuster } from "./muster.ts";
import { startHelper } from "./processes.ts";
import { type Pace, rawPost, type Target, type TargetName } from "./target.ts";

export interface TargetOptions extends Omit<MusterOptions, "providerPort"> {
  providerPort: number;
  providerPid: number;
}

/** Starts a fresh server of one kind. */
export async function startTarget(name: TargetName, options: TargetOptions): Promise<Target> {
  if (name === "muster") return startMuster(options);
  const common = {
    name,
    // Both pass the provider's own bytes on.
    deltaMarker: '"content":"',
    endMarker: "data: [DONE]",
    prepare: async (pace: Pace) => [providerRequest(pace)],
  };
  if (name === "direct") {
    const { providerPort: port, providerPid: pid } = options;
    return { ...common, port, pid, coldStartMs: 0, stop: async () => {} };
  }
  const startMs = performance.now();
  const proxy = await startHelper("proxy.ts", [String(options.providerPort)]);
  const probe = await runProbe(proxy.port);
  return { ...common, ...proxy, coldStartMs: probe - startMs };
}

/** Waits for the first response of a server that already listens; returns its time of arrival. */
async function runProbe(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  await response.arrayBuffer();
  return performance.now();
}

function providerRequest(model: Pace): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], stream: true });
  return rawPost("/v1/chat/completions", {}, body);
}

/** Checks one stream closely: the figures mean nothing if responses are incomplete. */
export async function verify(target: Target, expectedDeltas: number): Promise<void> {
  const requests = await target.prepare("bench", 2);
  const { deltas, failed, example } = await runLoad({
    ...loadOf(target),
    requests,
    count: 2,
    concurrency: 1,
    spreadMs: 0,
    countDeltas: true,
  });
  if (failed > 0) throw new Error(`${target.name} does not respond properly: ${example}`);
  if (deltas !== expectedDeltas * 2)
    throw new Error(`${target.name} sent ${deltas} deltas in two streams, not ${expectedDeltas * 2}`);
}

export function loadOf({ port, deltaMarker, endMarker }: Target) {
  return { port, deltaMarker, endMarker };
}

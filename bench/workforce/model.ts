import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { startHelper } from "../support/processes.ts";

const arriveWithinMs = 120_000;

/** The provider's process, from outside. */
export interface Model {
  baseUrl: string;
  /** Settings of a server that waits for as long as the model is held. */
  patience: Record<string, string>;
  /** By the machine's monotonic clock, in milliseconds: when the first request with this mark arrived. */
  arrival(mark: string): Promise<number>;
  /** The number of requests that wait for `release`. */
  held(): Promise<number>;
  /** Answers those whose newest message contains the text. */
  release(text: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startModel(): Promise<Model> {
  const { port, stop } = await startHelper(new URL("provider.ts", import.meta.url));
  const ask = async (path: string): Promise<Record<string, unknown>> => {
    const { body } = await request(`http://127.0.0.1:${port}${path}`);
    return Object(await body.json());
  };
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    patience: { MODEL_FIRST_PART_TIMEOUT_MS: "3600000", MODEL_STALL_TIMEOUT_MS: "3600000" },
    arrival: async (mark) => {
      const deadlineMs = performance.now() + arriveWithinMs;
      for (;;) {
        const { [mark]: atMs } = Object((await ask("/state")).arrivals);
        if (typeof atMs === "number") return atMs;
        if (performance.now() > deadlineMs) throw new Error(`No request to the model contains ${mark}`);
        await sleep(10);
      }
    },
    held: async () => Number((await ask("/state")).held),
    release: async (text) => void (await ask(`/release?${new URLSearchParams({ text })}`)),
    stop,
  };
}

/** The clock that `arrival` uses, which all processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

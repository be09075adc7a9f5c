import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { startHelper } from "../stream/processes.ts";

const arriveWithinMs = 120_000;

/** The provider's process, from outside. */
export interface Model {
  baseUrl: string;
  /** By the machine's monotonic clock, in milliseconds: when the first request with this mark came. */
  arrival(mark: string): Promise<number>;
  /** Requests that wait for `release`. */
  held(): Promise<number>;
  /** Answers those whose newest message contains the text. */
  release(text: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startModel(): Promise<Model> {
  const { port, stop } = await startHelper(new URL("provider.ts", import.meta.url));
  const url = `http://127.0.0.1:${port}`;
  const state = async () => {
    const { body } = await request(`${url}/state`);
    return readState(await body.json());
  };
  return {
    baseUrl: `${url}/v1`,
    arrival: async (mark) => {
      const deadlineMs = performance.now() + arriveWithinMs;
      for (;;) {
        const atMs = (await state()).arrivals.get(mark);
        if (atMs !== undefined) return atMs;
        if (performance.now() > deadlineMs) throw new Error(`No request to the model contains ${mark}`);
        await sleep(10);
      }
    },
    held: async () => (await state()).held,
    release: async (text) => {
      const { body } = await request(`${url}/release?${new URLSearchParams({ text })}`);
      await body.dump();
    },
    stop,
  };
}

function readState(state: unknown): { held: number; arrivals: Map<string, number> } {
  const { held, arrivals } = Object(state);
  return { held: Number(held), arrivals: new Map(Object.entries(Object(arrivals))) };
}

/** The clock that `arrival` uses. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

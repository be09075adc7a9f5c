import type { Reply } from "../support/api.ts";
import type { WatchedServer } from "./server.ts";

/** One or many requests that ask for much work. Everything that they need is prepared before the measurement. */
export interface Flood {
  name: string;
  /** Resolves when the server has nothing more to do for it. Throws if a response is not the expected one. */
  send(): Promise<void>;
}

/** Floods that need one another's state, in their order. */
export type FloodGroup = (server: WatchedServer) => AsyncGenerator<Flood>;

/** A request that must get this status, without an `error` event. */
export function one(name: string, status: number, send: () => Promise<Reply>): Flood {
  return { name, send: async () => assertStatus(await send(), status) };
}

/** Requests that the server finds all in one moment. Each must get this status, without an `error` event. */
export function together(
  server: WatchedServer,
  name: string,
  status: number,
  requests: ReadonlyArray<() => Promise<Reply>>,
): Flood {
  return {
    name,
    send: async () => {
      for (const reply of await server.together(requests)) assertStatus(reply, status);
    },
  };
}

function assertStatus(reply: Reply, status: number): void {
  if (reply.status === status && !reply.text.includes('data: {"type":"error"')) return;
  throw new Error(`${reply.status} instead of ${status}: ${reply.text.slice(0, 500)}`);
}

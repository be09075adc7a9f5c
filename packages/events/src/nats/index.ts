import type { Bus } from "../bus.ts";
import type { NatsBusOptions } from "./connect-nats-bus.ts";

export type { NatsBusOptions } from "./connect-nats-bus.ts";

/**
 * Connects to NATS JetStream and creates the stream if it is missing. Rejects if no server responds, if it
 * refuses the credentials, or if it lacks JetStream. Afterwards it reconnects indefinitely. Most installations
 * have no NATS server, so its client is loaded here.
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { connectNatsBus } = await import("./connect-nats-bus.ts");
  return await connectNatsBus(options);
}

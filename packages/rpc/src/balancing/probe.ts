import { Code, ConnectError } from "@connectrpc/connect";
import { Channel, credentials } from "@grpc/grpc-js";
import { Health } from "@muster/proto/health";
import { targetOf } from "../addresses.ts";
import { callUnary } from "../client-unary.ts";
import { livenessName } from "../health.ts";

/**
 * Asks an instance for its liveness, over a connection of its own. Any result counts as a response, also a refused
 * connection: only a frozen process, or a network that swallows everything, sends nothing at all.
 */
export async function probeInstance(address: string, timeoutMs: number): Promise<boolean> {
  const target = address.startsWith("/") ? `unix:${address}` : address;
  const channel = new Channel(targetOf([target]), credentials.createInsecure(), {
    "grpc.enable_channelz": 0,
  });
  try {
    await callUnary(channel, Health.method.check, {
      method: Health.method.check,
      message: { service: livenessName },
      header: undefined,
      signal: undefined,
      deadlineMs: Date.now() + timeoutMs,
    });
    return true;
  } catch (error) {
    return ConnectError.from(error).code !== Code.DeadlineExceeded;
  } finally {
    channel.close();
  }
}

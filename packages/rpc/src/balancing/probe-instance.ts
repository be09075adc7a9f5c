import { Code, ConnectError } from "@connectrpc/connect";
import { Channel, credentials } from "@grpc/grpc-js";
import { Health } from "@muster/proto/health";
import { callUnary } from "../call-unary.ts";
import { livenessName } from "../health.ts";
import { targetOf } from "../target-of.ts";

/** A probe that took this much longer than it may was not late: this process itself was blocked. */
const blockedFactor = 1.25;
const maxProbes = 3;

/**
 * Asks an instance for its liveness, over a connection of its own. Any result counts as a response, also a refused
 * connection: only a frozen process, or a network that swallows everything, sends nothing at all.
 */
export async function probeInstance(address: string, timeoutMs: number): Promise<boolean> {
  for (let n = 1; ; n++) {
    const startMs = performance.now();
    if (await respondsOnce(address, timeoutMs)) return true;
    // After a block, timers run before the response that has arrived meanwhile is read.
    const wasBlocked = performance.now() - startMs > timeoutMs * blockedFactor;
    if (!wasBlocked || n === maxProbes) return false;
  }
}

async function respondsOnce(address: string, timeoutMs: number): Promise<boolean> {
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

import { Code, ConnectError } from "@connectrpc/connect";
import type { ChannelInterface } from "@grpc/grpc-js";
import { Health } from "@muster/proto/health";
import { CallTarget } from "../balancing/call-target.ts";
import { callUnary } from "../call-unary.ts";
import { livenessName } from "../health.ts";

/** Calls the instance over the channel's own connection to it. False only if no response arrived in time: */
export async function pingConnection(
  channel: ChannelInterface,
  address: string,
  timeoutMs: number,
): Promise<boolean> {
  try {
    await callUnary(channel, Health.method.check, {
      method: Health.method.check,
      message: { service: livenessName },
      header: undefined,
      signal: undefined,
      deadlineMs: Date.now() + timeoutMs,
      target: new CallTarget(address),
    });
    return true;
  } catch (error) {
    return ConnectError.from(error).code !== Code.DeadlineExceeded;
  }
}

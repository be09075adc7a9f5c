import type { HandlerContext } from "@connectrpc/connect";
import type { MachineKey } from "@muster/computers";
import type { ConnectRequest } from "@muster/proto/computers";
import { callerOf, forbidden } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";

/** The connection of a computer, until either side ends it. */
export async function* connect(
  { computers }: WorkforceContext,
  requests: AsyncIterable<ConnectRequest>,
  call: HandlerContext,
) {
  const frames = computers.machines.connect(framesOf(requests), computerOf(call), call.signal);
  for await (const frame of frames) yield { frame };
}

/** Throws FORBIDDEN unless the caller is limited to one computer. */
function computerOf(call: HandlerContext): MachineKey {
  const { projectId, computerId } = callerOf(call);
  if (computerId === undefined) throw forbidden("Only a token of the computer can connect it.");
  return { projectId, computerId };
}

async function* framesOf(requests: AsyncIterable<ConnectRequest>) {
  for await (const { frame } of requests) yield frame;
}

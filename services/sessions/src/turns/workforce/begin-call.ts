import type { HandlerContext } from "@connectrpc/connect";
import { requestIdOf } from "@muster/rpc";
import type { HiddenContext } from "../../context.ts";
import type { RunCommand } from "../../input/read-workforce-run.ts";
import type { TriggerCommand } from "../../input/trigger-command.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { RunCall } from "../../store/session-document.ts";
import type { Execution } from "../driver/execution.ts";
import { beginLocked } from "../trigger/begin-turn.ts";
import { claimCall } from "./claim-call.ts";

/** An execution that the call has begun, or the call's earlier attempt that has. */
export type BegunCall = { execution: Execution } | { call: RunCall };

/** Begins what a call of the workforce service asks for, unless it has been begun already. Throws as a trigger and a claim do. */
export async function beginCall(
  hidden: HiddenContext,
  key: SessionKey,
  command: TriggerCommand,
  run: RunCommand,
  call: HandlerContext,
): Promise<BegunCall> {
  const { signal } = call;
  const claimed = await claimCall(hidden, key, command, run, { signal, requestId: requestIdOf(call) });
  if ("call" in claimed) return claimed;
  const { acquired, executionId } = claimed;
  return { execution: await beginLocked(hidden, acquired, command, executionId, call) };
}

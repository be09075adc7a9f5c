import type { HandlerContext } from "@connectrpc/connect";
import type { Conversation, Frame, Input, WorkerLibrary } from "@muster/engine";
import type { Program } from "@muster/language";
import { Reason } from "@muster/proto/errors";
import { invalidRequest, rpcError } from "@muster/rpc";
import type { Asker } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import type { GivenResult } from "../../input/tool-results.ts";

/** The machine's first input. */
export function outcomesOf(results: readonly GivenResult[]): Input {
  const outcomes = results.map(({ toolCallId, outcome }) => ({ toolCallId, outcome }));
  return { type: "tool-results", outcomes };
}

/** Throws unless every result belongs to a pending call. */
export function assertAnswers({ pendingToolCalls }: Frame, results: readonly GivenResult[]): void {
  const pending = new Map(pendingToolCalls.map((call) => [call.toolCallId, call.toolName]));
  for (const [index, { toolCallId, toolName }] of results.entries()) {
    const expected = pending.get(toolCallId);
    if (expected === undefined) throw unknownCall(`No pending tool call has the id ${toolCallId}.`);
    if (toolName !== undefined && toolName !== expected) {
      throw invalidRequest(`toolResults.${index}.toolName`, `must be ${expected}, the tool that was called`);
    }
  }
}

export function unknownCall(message: string) {
  return rpcError(Reason.UNKNOWN_TOOL_CALL, message);
}

/** The workers of a turn that continues. Throws if one that is running cannot be read. */
export function runningWorkers(
  { workerLibraries }: Pick<SessionsContext, "workerLibraries">,
  projectId: string,
  { program, conversation, frame }: { program: Program; conversation: Conversation; frame: Frame },
  call: HandlerContext | Asker,
): Promise<WorkerLibrary> {
  const running = frame.workers?.flatMap((worker) => worker.frame.workerSlug ?? []) ?? [];
  return workerLibraries.open({ projectId, program, pinned: conversation.workers, running }, call);
}

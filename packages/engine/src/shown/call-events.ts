import type { JsonValue } from "@muster/language";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { asObject } from "../conversation/messages.ts";
import { boundOutput, boundResult } from "../prompt/tool-output.ts";
import { toolVisibility } from "./display.ts";
import type { CardEvent, InnerEvent } from "./events.ts";

/** Adds an event to the stream if users may see it. */
export type Show = (event: InnerEvent | CardEvent) => void;

export function announceCall(part: ToolCallPart, show: Show): void {
  if (!toolVisibility[part.display].name) return;
  const { toolCallId, toolName, title, display, worker } = part;
  if (worker === undefined)
    show({ type: "tool-input-start", toolCallId, toolName, ...(title !== undefined && { title }), display });
  else show({ type: "worker-input-start", ...cardOf(part, worker.workerId) });
}

function cardOf({ toolName, title, display }: ToolCallPart, workerId: string) {
  return { workerId, workerSlug: toolName, ...(title !== undefined && { description: title }), display };
}

export function announceInputDelta(
  { display, toolCallId, worker }: ToolCallPart,
  delta: string,
  show: Show,
): void {
  if (!toolVisibility[display].argsStream) return;
  if (worker === undefined) show({ type: "tool-input-delta", toolCallId, inputTextDelta: delta });
  else show({ type: "worker-input-delta", workerId: worker.workerId, delta });
}

export function announceInputEnd({ display, toolCallId, worker }: ToolCallPart, show: Show): void {
  if (worker === undefined && toolVisibility[display].name) show({ type: "tool-input-end", toolCallId });
}

export function announceArguments(part: ToolCallPart, show: Show): void {
  const { display, toolCallId, toolName, args, worker } = part;
  if (worker !== undefined) worker.hasInput = true;
  if (!toolVisibility[display].args) return;
  if (worker === undefined) show({ type: "tool-input-available", toolCallId, toolName, input: args });
  else show({ type: "worker-input-ready", workerId: worker.workerId, input: asObject(args) });
}

/** The worker begins to run. */
export function announceWorkerCall(part: ToolCallPart, show: Show): void {
  const { display, args, worker } = part;
  const sees = toolVisibility[display];
  if (worker === undefined || !sees.name) return;
  const card = cardOf(part, worker.workerId);
  show({ type: "worker-start", ...card, ...(sees.args && { input: asObject(args) }) });
}

/** Users who do not see the result of a call still see that it has failed. */
export function failCall(part: ToolCallPart, error: string, show: Show): void {
  part.status = "error";
  part.error = error;
  const sees = toolVisibility[part.display];
  if (!sees.name) return;
  const { toolCallId, worker } = part;
  const shown = sees.resultLive ? shownError(part) : undefined;
  if (worker === undefined) {
    show({ type: "tool-output-error", toolCallId, error: shown ?? "The call has failed." });
  } else {
    const { workerId } = worker;
    show({ type: "worker-result", workerId, error: shown ?? "The worker has failed." });
  }
}

export function cancelCall(part: ToolCallPart, reason: string, show: Show): void {
  part.status = "cancelled";
  if (!toolVisibility[part.display].name) return;
  const { toolCallId, worker } = part;
  if (worker === undefined) show({ type: "tool-output-error", toolCallId, error: reason, cancelled: true });
  else show({ type: "worker-result", workerId: worker.workerId, error: reason, cancelled: true });
}

/** `result`: undefined if a worker declares no output. */
export function fulfilCall(part: ToolCallPart, result: ToolCallPart["result"], show: Show): void {
  const { toolCallId, worker, display } = part;
  const sees = toolVisibility[display];
  part.status = "done";
  if (result !== undefined) part.result = result;
  const shown = sees.resultLive ? shownResult(part) : undefined;
  if (worker === undefined) {
    if (sees.resultLive) show({ type: "tool-output-available", toolCallId, output: shown ?? null });
  } else if (sees.name) {
    const output = shown === undefined ? {} : { output: shown };
    show({ type: "worker-result", workerId: worker.workerId, ...output });
  }
}

/** Says that the call has succeeded if users see it without its result. */
export function announceSuccess({ toolCallId, display }: ToolCallPart, show: Show): void {
  const { name, resultLive } = toolVisibility[display];
  if (name && !resultLive) show({ type: "tool-output-available", toolCallId, output: null });
}

/** The result as users see it if the display shows it: not more than models read. */
export function shownResult({ result, maxToolOutputTokens }: ToolCallPart): JsonValue | undefined {
  if (result === undefined || maxToolOutputTokens === undefined) return result;
  return boundResult(result, (text) => boundOutput(text, maxToolOutputTokens));
}

/** The same for the error. */
export function shownError({ error, maxToolOutputTokens }: ToolCallPart): string | undefined {
  return error === undefined ? undefined : boundOutput(error, maxToolOutputTokens);
}

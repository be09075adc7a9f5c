import type {
  DecideApprovalRequest,
  RequestedApproval,
  RequestedToolCall,
  ToolResult,
} from "./wire-types.ts";

export interface ToolContext {
  call: RequestedToolCall;
  /** The signal of the turn's reader. */
  signal: AbortSignal | undefined;
}

/** A method, so that a handler may name the type of its input. */
interface Handles {
  run(input: Record<string, unknown>, context: ToolContext): unknown;
}

/**
 * Executes a call. The value that it returns or resolves with is the result, and the message of an error that it throws is
 * read by the model.
 */
export type ToolHandler = Handles["run"];

/** By the name of the tool. `*` handles every other one. */
export type ToolHandlers = Readonly<Record<string, ToolHandler>>;

export function handlerOf(tools: ToolHandlers, toolName: string): ToolHandler | undefined {
  return Object.hasOwn(tools, toolName) ? tools[toolName] : tools["*"];
}

/** Decides about a call that waits. With undefined, another user decides, and the turn is followed until then. */
export type ApprovalHandler = (
  approval: RequestedApproval,
) => DecideApprovalRequest | undefined | Promise<DecideApprovalRequest | undefined>;

/** The limit of the server for an error text. */
const maxErrorLength = 32_768;

/** Rejects only if aborted. */
export async function toToolResult(
  call: RequestedToolCall,
  tools: ToolHandlers,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const { toolCallId, toolName, args } = call;
  try {
    const result = await handlerOf(tools, toolName)?.(Object(args), { call, signal });
    // Throws for a value that no request can contain.
    JSON.stringify(result);
    return { toolCallId, toolName, result: result ?? null };
  } catch (error) {
    signal?.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { toolCallId, toolName, error: message.slice(0, maxErrorLength) || "The tool failed." };
  }
}

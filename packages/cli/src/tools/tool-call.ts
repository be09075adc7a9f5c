/** A call that waits for its result. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

/** A tool call that waits for its result: no other request says where it belongs. */
export interface WaitingCall {
  sessionId: string;
  executionId: string;
  toolCallId: string;
}

/** Models may choose any id for a call; those of sessions and executions contain no full stop. */
export function callIdOf({ sessionId, executionId, toolCallId }: WaitingCall): string {
  return `call.${sessionId}.${executionId}.${toolCallId}`;
}

/** Undefined: this server has not issued the id. */
export function readCallId(id: string): WaitingCall | undefined {
  const { sessionId, executionId, toolCallId } =
    /^call\.(?<sessionId>ses_\w+)\.(?<executionId>exe_\w+)\.(?<toolCallId>.+)$/s.exec(id)?.groups ?? {};
  if (sessionId === undefined || executionId === undefined || toolCallId === undefined) return undefined;
  return { sessionId, executionId, toolCallId };
}

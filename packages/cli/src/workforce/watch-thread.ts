import { type ExitCode, exitCodes } from "../exit.ts";
import type { Invocation } from "../invocation.ts";
import type { AgentAccess } from "./agent-access.ts";
import { followThread } from "./follow-thread.ts";
import { exitCodeOf, showOutcome } from "./outcome.ts";
import { showRecording } from "./recording.ts";
import { WorkPrinter } from "./work-printer.ts";

/** Shows a thread live until it is final. Ctrl-C stops the watching, not the work. `after`: the last event to skip. */
export async function watchThread(
  { io, out }: Invocation,
  agent: AgentAccess,
  threadId: string,
  after = 0,
): Promise<ExitCode> {
  const leaving = new AbortController();
  const stopListening = io.onInterrupt(() => leaving.abort());
  const printer = new WorkPrinter(out);
  const onEvent = (event: Parameters<WorkPrinter["show"]>[0]) => {
    if (!out.json) printer.show(event);
  };
  try {
    const thread = await followThread({ agent, threadId, after, signal: leaving.signal, onEvent });
    printer.end();
    if (out.json) out.document(thread.document);
    else {
      showOutcome(out, thread);
      showRecording(out, agent.agentId, thread);
    }
    return exitCodeOf(thread.status);
  } catch (error) {
    printer.end();
    if (!leaving.signal.aborted) throw error;
    out.note(`${agent.name} continues to work.`);
    out.hint({ purpose: "To watch it again", args: `workforce watch ${agent.agentId} ${threadId}` });
    return exitCodes.interrupted;
  } finally {
    stopListening();
  }
}

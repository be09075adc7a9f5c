import type { StoredMessage, ThreadSummary } from "../conversation/conversation.ts";
import { mainThread } from "../conversation/messages.ts";

/** One message, however often it is written again; it sorts before all others. */
export function summaryIdOf(sessionId: string): string {
  return `${sessionId.replace(/^ses_/, "msg_")}_summary`;
}

/** The running summary of a session, as users see it in the place of the messages that are part of it. */
export function summaryMessage(summary: ThreadSummary, id: string, createdAt: Date): StoredMessage {
  const { text, request, todos } = summary;
  const texts = [
    text,
    ...(request === undefined ? [] : [`[The request that is being worked on:]\n\n${request}`]),
  ];
  return {
    id,
    role: "assistant",
    status: "done",
    createdAt: createdAt.toISOString(),
    thread: mainThread,
    audience: "everyone",
    summary,
    parts: [
      { type: "text", text: texts.join("\n\n"), status: "done" },
      ...(todos === undefined ? [] : [{ type: "todo" as const, todos, status: "done" as const }]),
    ],
  };
}

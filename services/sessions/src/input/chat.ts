import { hash } from "node:crypto";
import { type CallPrincipal, forbidden, type Issues } from "@muster/rpc";

/** The id of a chat, as its client has chosen it. Throws FORBIDDEN for a token whose chats all such tokens would share. */
export function readChat(issues: Issues, chatId: string, caller: CallPrincipal): string {
  issues.checkLength("chatId", chatId, { min: 1, max: 255 });
  const { tokenId, subject, sessionId } = caller;
  if (tokenId === undefined || subject !== undefined || sessionId !== undefined) return chatId;
  throw forbidden(
    "This token has no subject, so that its chats would be those of all such tokens. Mint it with a subject, or for one session.",
  );
}

/** A chat has one session at most, whichever instance opens it, because the id of the session follows from the chat. */
export function chatSessionId(
  { projectId, agentId }: { projectId: string; agentId: string },
  subject: string | undefined,
  chatId: string,
): string {
  const names = JSON.stringify([projectId, agentId, subject ?? null, chatId]);
  return `ses_${hash("sha256", names, "hex").slice(0, 32)}`;
}

import { hash } from "node:crypto";
import { type CallPrincipal, forbidden, type Issues } from "@muster/rpc";

/** The id of a chat, as its client has chosen it. Throws FORBIDDEN for a token whose chats all such tokens would share. */
export function readChat(issues: Issues, chatId: string, caller: CallPrincipal): string {
  issues.checkLength("chatId", chatId, { min: 1, max: 255 });
  if (!sharesChats(caller)) return chatId;
  throw forbidden(
    "This token has no subject, so its chats would be shared by all such tokens. Mint a token with a subject, or for one session.",
  );
}

/** A token for an agent without a subject: its chats would be those of all such tokens. */
export function sharesChats({ tokenId, subject, sessionId }: CallPrincipal): boolean {
  return tokenId !== undefined && subject === undefined && sessionId === undefined;
}

/** Begins the ids of all sessions of chats. They can be computed, so knowing one proves nothing. */
export const chatPrefix = "ses_chat";

/** A chat has one session at most, whichever instance opens it, because the id of the session follows from the chat. */
export function chatSessionId(
  { projectId, agentId }: { projectId: string; agentId: string },
  subject: string | undefined,
  chatId: string,
): string {
  const names = JSON.stringify([projectId, agentId, subject ?? null, chatId]);
  return `${chatPrefix}${hash("sha256", names, "hex").slice(0, 32)}`;
}

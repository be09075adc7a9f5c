import type { ContextManagement, ThreadConfig } from "@muster/language";
import type { MachineEnvironment } from "../../src/boundary/machine.ts";
import type { Conversation, StoredMessage } from "../../src/conversation/conversation.ts";
import { mainThread } from "../../src/conversation/messages.ts";
import { countingEnvironment, emptyConversation } from "./play.ts";

/** In tokens. */
export const smallWindow = 2_000;

export const managed: ContextManagement = { thresholdPercent: 50, recentPercent: 10 };

export function managedAgent(more: Partial<ThreadConfig> = {}): Partial<ThreadConfig> {
  return { contextManagement: managed, ...more };
}

/** All models have the small window. */
export function smallEnvironment(
  from = 1_000,
  sealLength?: number,
): ReturnType<typeof countingEnvironment> & MachineEnvironment {
  return Object.assign(countingEnvironment(from, sealLength), { contextWindow: () => smallWindow });
}

/** Turns of a question and an answer on the main thread, each of about as many tokens. All texts begin with `opening`. */
export function talkOf(turns: number, tokensPerTurn: number, opening = ""): Conversation {
  const half = "word ".repeat(Math.max(1, Math.round((tokensPerTurn * 4) / 10)));
  const messages = Array.from({ length: turns }, (_, turn) => {
    const about = { executionId: `exe_old_${turn}`, thread: mainThread, audience: "everyone" as const };
    return (["user", "assistant"] as const).map((role): StoredMessage => {
      return {
        ...about,
        id: `msg_old_${turn}_${role}`,
        role,
        status: "done",
        createdAt: "2026-01-01T00:00:00.000Z",
        parts: [{ type: "text", text: `${opening}${role} ${turn}: ${half}`, status: "done" }],
      };
    });
  });
  return { ...emptyConversation(), messages: messages.flat() };
}

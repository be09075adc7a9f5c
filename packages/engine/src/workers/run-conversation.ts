import type { Conversation, Memory, WorkerCall } from "../conversation/conversation.ts";

/**
 * The conversation of a worker: its memory with the messages of its call. Both are stored, the messages only with
 * the call.
 */
export function conversationOf(memory: Memory, call: WorkerCall): Conversation {
  Object.defineProperty(memory, "messages", {
    configurable: true,
    get: () => call.messages,
    set: (messages: Conversation["messages"]) => {
      call.messages = messages;
    },
  });
  if (!isConversation(memory)) throw new Error("The memory of a worker has no messages.");
  return memory;
}

function isConversation(memory: Memory): memory is Conversation {
  return "messages" in memory;
}

import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import * as ai6 from "ai6";

export const ai7 = {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
};

type Ai = typeof ai7;

/** Version 6 has the same classes, whose private members make them other types. */
export const versions: ReadonlyArray<[name: string, ai: Ai]> = [
  ["7", ai7],
  ["6", ai6 as unknown as Ai],
];

class State implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

interface ChatOptions extends Partial<Pick<ChatInit<UIMessage>, "onToolCall" | "messages">> {
  ai?: Ai;
  url: string;
  key: string;
  id?: string;
}

/** A chat of the AI SDK with the agent `desk`, as `useChat` drives it. */
export function openUiChat({ ai = ai7, url, key, id = "chat-1", messages = [], onToolCall }: ChatOptions) {
  const chunks = ai === ai7 ? "&chunks=7" : "";
  const transport = new ai.DefaultChatTransport({
    api: `${url}/api/ui/chat?agentSlug=desk${chunks}`,
    headers: { authorization: `Bearer ${key}` },
  });
  const state = new State();
  state.messages = messages;
  class Chat extends ai.AbstractChat<UIMessage> {}
  const chat = new Chat({
    ...{ id, transport, state },
    ...(onToolCall && { onToolCall }),
    sendAutomaticallyWhen: (options) =>
      ai.lastAssistantMessageIsCompleteWithToolCalls(options) ||
      ai.lastAssistantMessageIsCompleteWithApprovalResponses(options),
  });
  return chat;
}

/** The parts of the last message, in short. */
export function partsOf({ lastMessage }: { lastMessage: UIMessage | undefined }): unknown[] {
  return (lastMessage?.parts ?? []).map((part) => {
    switch (part.type) {
      case "text":
      case "reasoning":
        return `${part.type}: ${part.text}`;
      case "step-start":
        return "step";
      default:
        return "toolCallId" in part ? `${part.type} ${part.toolCallId}: ${part.state}` : part;
    }
  });
}

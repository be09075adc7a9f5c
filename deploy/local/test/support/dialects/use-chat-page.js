import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";

/** Where the chat is, as the test that serves the page has set it. */
const { url, token } = window.config;

const transport = new DefaultChatTransport({
  api: `${url}/api/ui/chat?agentSlug=desk&chunks=7`,
  headers: { authorization: `Bearer ${token}` },
});

function App() {
  const chat = useChat({
    id: "chat-1",
    transport,
    resume: true,
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      void chat.addToolOutput({ tool: toolName, toolCallId, output: "shipped" });
    },
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithToolCalls(options) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(options),
  });
  window.chat = chat;
  const parts = chat.messages.flatMap(({ id, role, parts }) =>
    parts.map((part, index) => h("p", { key: `${id}-${index}`, className: role }, shown(part))),
  );
  return h("main", { "data-status": chat.status }, ...parts);
}

function shown(part) {
  return "toolCallId" in part ? `${part.type} ${part.state}` : part.text;
}

createRoot(document.body).render(h(App));

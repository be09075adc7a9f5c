import type { Agent } from "@muster/client";
import type { useSession } from "@muster/react";
import { useMemo } from "react";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { useEnd } from "../../parts/use-end.ts";
import { Composer } from "./composer.tsx";
import type { SessionLinks } from "./session-links.ts";
import { entryOf, type Step } from "./step.ts";
import { Transcript } from "./transcript.tsx";
import type { LinkedScroll } from "./use-linked-scroll.ts";
import { WaitingCalls } from "./waiting-calls.tsx";

interface Props {
  chat: ReturnType<typeof useSession>;
  agent: Agent | undefined;
  links: SessionLinks;
  steps: readonly Step[];
  selectedId: string | undefined;
  onSelect: (stepId: string) => void;
  isShown: boolean;
  scroll: LinkedScroll;
}

/** The transcript, the calls that its turn waits for, and the composer. */
export function ConversationPane({
  chat,
  agent,
  links,
  steps,
  selectedId,
  onSelect,
  isShown,
  scroll,
}: Props) {
  const { messages, status, error } = chat;
  const isLive = status === "running" || status === "waiting";
  const waiting = useMemo(
    () => new Set([...chat.approvals, ...chat.toolCalls].map(({ toolCallId }) => toolCallId)),
    [chat.approvals, chat.toolCalls],
  );
  const calls = waiting.size;
  const { end, follow } = useEnd([messages, calls], isLive);
  const exampleOf = (toolName: string) => {
    const last = steps.findLast(
      ({ kind, title, state }) => kind === "tool" && title === toolName && state === "completed",
    );
    return last && entryOf(last, "tool-result")?.result;
  };
  return (
    <section
      aria-label="Conversation"
      className={`flex min-h-0 min-w-0 flex-col border-line md:border-r ${isShown ? "" : "max-md:hidden"}`}
    >
      <div
        {...scroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto px-6 py-4 outline-offset-[-2px] max-md:px-4"
      >
        {status === "loading" && messages.length === 0 ? (
          <Skeleton lines={5} />
        ) : (
          <Transcript
            messages={messages}
            agentName={agent?.settings.name ?? "Agent"}
            links={links}
            selectedId={selectedId}
            onSelect={onSelect}
            waiting={waiting}
          />
        )}
        {messages.length === 0 && status === "ready" && (
          <p className="py-10 text-center text-muted">There are no messages yet.</p>
        )}
        <div className="mt-4 grid grid-cols-1 gap-4 empty:hidden">
          <WaitingCalls {...chat} exampleOf={exampleOf} />
          {error !== undefined && (
            <div className="grid grid-cols-1 gap-2">
              <Failure error={error} onRetry={() => void chat.retry()} />
            </div>
          )}
        </div>
        <div ref={end} />
      </div>
      <div className="grid grid-cols-1 gap-2 border-t border-line bg-panel px-6 py-3 max-md:px-4">
        {status === "waiting" && calls > 0 && chat.toolCalls.length > 0 && (
          <div className="flex items-center gap-3 text-table text-warn">
            <span className="flex-1">The turn waits for the results above. A new message ends it.</span>
            <Button look="quiet" onClick={() => void chat.stop()}>
              End the turn
            </Button>
          </div>
        )}
        {agent !== undefined && (
          <Composer
            agent={agent}
            isBusy={status === "running" || (status === "waiting" && chat.toolCalls.length === 0)}
            onSend={(trigger, input) => {
              follow();
              return chat.send(input, { trigger });
            }}
            onStop={() => void chat.stop()}
            upload={chat.upload}
          />
        )}
      </div>
    </section>
  );
}

import { useSession } from "@muster/react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { Approval } from "./approval.jsx";
import { Composer } from "./composer.jsx";
import { Message } from "./message.jsx";
import { tools } from "./tools.js";

const suggestions = [
  "Please use local-time.",
  "Please set-reminder in 10 minutes.",
  "Tell me a story about a lighthouse.",
];
const announcements = {
  loading: "Loading …",
  running: "Writing …",
  waiting: "Waiting for you",
};

export function Chat({ muster, sessionId, onNew, problem }) {
  const session = useSession(muster, sessionId, { tools });
  const { messages, status, approvals, error, uploads } = session;
  const list = useStayAtEnd();
  const isBusy = status === "running" || status === "loading";

  const failure = error ?? problem;
  const waiting = approvals.map(({ toolCallId }) => toolCallId);

  const send = async (text) => {
    const files = uploads.flatMap(({ file }) => file ?? []);
    const input = { USER_MESSAGE: text, ...(files.length > 0 && { FILES: files }) };
    const hasBegun = await session.send(input);
    if (hasBegun) for (const { id } of uploads) session.removeUpload(id);
    return hasBegun;
  };

  return (
    <div className="chat">
      <header>
        <h1>Browser chat</h1>
        <p role="status" className={status === "running" ? "state running" : "state"}>
          {announcements[status] ?? ""}
        </p>
        <button type="button" className="quiet" onClick={onNew}>
          New chat
        </button>
      </header>
      <main ref={list} tabIndex={-1}>
        <div className="column">
          <div role="log" aria-label="Messages" aria-live="polite" aria-busy={isBusy}>
            {messages.map((message) => (
              <Message
                key={message.id}
                message={message}
                waiting={message.status === "streaming" ? waiting : undefined}
              />
            ))}
            {approvals.map((approval) => (
              <Approval key={approval.approvalId} approval={approval} onDecide={session.decide} />
            ))}
          </div>
          {messages.length === 0 && status === "ready" && <Welcome onChoose={send} />}
        </div>
      </main>
      <div>
        {failure !== undefined && (
          <div className="column">
            <div role="alert" className="problem">
              <p>{isGone(failure) ? "This chat has ended." : failure.message}</p>
              {isGone(failure) || error === undefined ? (
                <button type="button" onClick={onNew}>
                  Start a new chat
                </button>
              ) : (
                <button type="button" onClick={session.retry}>
                  Try again
                </button>
              )}
            </div>
          </div>
        )}
        <Composer session={session} onSend={send} />
      </div>
    </div>
  );
}

function Welcome({ onChoose }) {
  return (
    <section className="welcome" aria-labelledby="welcome">
      <h2 id="welcome">How can I help?</h2>
      <p>The built-in demo model repeats your message, and calls a tool that it names.</p>
      <ul>
        {suggestions.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => onChoose(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isGone(error) {
  return error?.code === "SESSION_EXPIRED" || error?.code === "NOT_FOUND";
}

/** A list that shows its end keeps showing it. A reader who has scrolled up stays there. */
function useStayAtEnd() {
  const list = useRef(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current;
    const note = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 64;
    };
    element.addEventListener("scroll", note, { passive: true });
    // The keyboard of a phone, for example, makes it smaller.
    const sizes = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(element);
    return () => {
      element.removeEventListener("scroll", note);
      sizes.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) list.current.scrollTop = list.current.scrollHeight;
  });
  return list;
}

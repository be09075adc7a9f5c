// A page with two components, which counts how often they are rendered, and the frames in which they could have been.
import { Muster } from "@muster/client";
import { useSession } from "@muster/react";
import { StrictMode, useState } from "react";

export function App({ baseUrl, token, sessionId }) {
  const [muster] = useState(() => new Muster({ baseUrl, token }));
  const [isShown, setIsShown] = useState(true);
  return (
    <StrictMode>
      <button type="button" id="toggle" onClick={() => setIsShown(!isShown)}>
        Toggle
      </button>
      {isShown && <Chat muster={muster} sessionId={sessionId} />}
    </StrictMode>
  );
}

const initialMessages = [
  {
    id: "old",
    role: "user",
    parts: [{ type: "text", text: "From the server" }],
    status: "done",
    createdAt: "",
  },
];

function Chat({ muster, sessionId }) {
  const { messages, status, send } = useSession(muster, sessionId, { initialMessages });
  globalThis.renders = (globalThis.renders ?? 0) + 1;
  const text = messages.map(({ parts }) => parts.map((part) => part.text).join("")).join("|");
  return (
    <main data-status={status}>
      <p id="text">{text}</p>
      <button type="button" id="send" onClick={() => send({ TEXT: "Count" })}>
        Send
      </button>
    </main>
  );
}

import { StrictMode, useCallback, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { openAccess } from "./access.js";
import { Chat } from "./chat.jsx";

/** Asks the page's server for a session, and shows it. */
function App() {
  const [access, setAccess] = useState();
  const [error, setError] = useState();
  const open = useCallback((isNew) => {
    setError(undefined);
    openAccess(isNew).then(setAccess, setError);
  }, []);
  useEffect(() => open(false), [open]);
  if (access !== undefined)
    return (
      <Chat
        key={access.sessionId}
        muster={access.muster}
        sessionId={access.sessionId}
        onNew={() => open(true)}
        problem={error}
      />
    );
  return (
    <main className="notice">
      {error === undefined ? (
        <p role="status">Connecting …</p>
      ) : (
        <div role="alert">
          <p>{error.message}</p>
          <button type="button" onClick={() => open(false)}>
            Try again
          </button>
        </div>
      )}
    </main>
  );
}

createRoot(document.querySelector("#root")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

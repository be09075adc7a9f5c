import { useId, useState } from "react";
import { Values } from "./values.jsx";

/** Asks the visitor about a call. */
export function Approval({ approval, onDecide }) {
  const { approvalId, toolName, title, args } = approval;
  const [state, setState] = useState("open");
  const heading = useId();
  const decide = async (decision) => {
    setState("sending");
    await onDecide(approvalId, { decision }).catch((error) => setState(error.message));
  };
  const isSending = state === "sending";
  return (
    <section className="approval" aria-labelledby={heading}>
      <h2 id={heading}>{title ?? `May I use ${toolName}?`}</h2>
      <Values values={args} />
      <div className="choices">
        <button type="button" className="main" disabled={isSending} onClick={() => decide("approve")}>
          Approve
        </button>
        <button type="button" disabled={isSending} onClick={() => decide("deny")}>
          Deny
        </button>
      </div>
      {state !== "open" && !isSending && <p role="alert">{state}</p>}
    </section>
  );
}

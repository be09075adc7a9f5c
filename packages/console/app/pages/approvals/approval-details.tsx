import { type Approval, type ApprovalDetail, type DecideApprovalRequest, MusterError } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { muster, refresh } from "../../api.ts";
import { useKey } from "../../frame/keys.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Json } from "../../parts/json.tsx";
import { Section } from "../../parts/page.tsx";
import { ApprovalFacts } from "./approval-facts.tsx";
import { Arguments } from "./arguments.tsx";
import { Deny } from "./deny.tsx";
import { EditArguments } from "./edit-arguments.tsx";
import { LastMessages } from "./last-messages.tsx";
import { Outcome } from "./outcome.tsx";

interface Props {
  approval: ApprovalDetail;
  onDecided: (approval: Approval) => void;
}

/** No user reads the next call sooner. */
const unseenMs = 400;
let decidedMs = Number.NEGATIVE_INFINITY;

/** The facts that a user needs, and the decision. */
export function ApprovalDetails({ approval, onDecided }: Props) {
  const { approvalId, status, title, toolName, args } = approval;
  const [mode, setMode] = useState<"read" | "deny" | "edit">("read");
  const [isRaw, setRaw] = useState(false);
  const decide = useMutation({
    mutationFn: (body: DecideApprovalRequest) => muster.approvals.decide(approvalId, body),
    onSuccess: async (outcome) => {
      decidedMs = performance.now();
      setMode("read");
      onDecided(outcome);
      await refresh("/api/approvals", "/api/agent-sessions");
    },
    onError: (error) => (isTooLate(error) ? refresh("/api/approvals") : undefined),
  });
  const isOpen = status === "pending" && !decide.isPending;
  const approve = () => isOpen && decide.mutate({ decision: "approve" });
  /** Not while an edit or a reason is open, and not by the key that has decided about the one before. */
  const byKey = (act: () => void) => () => {
    if (isOpen && mode === "read" && performance.now() - decidedMs > unseenMs) act();
  };
  useKey("a", byKey(approve));
  useKey(
    "d",
    byKey(() => setMode("deny")),
  );
  useKey(
    "e",
    byKey(() => setMode("edit")),
  );
  useKey("r", () => setRaw(!isRaw));

  const close = () => {
    setMode("read");
    decide.reset();
  };
  return (
    <div className="grid grid-cols-1 gap-5 *:mb-0">
      <div className="grid gap-3">
        <h2 className="text-title font-semibold break-words">{title ?? toolName}</h2>
        <ApprovalFacts approval={approval} />
      </div>
      {status !== "pending" && <Outcome approval={approval} isLate={isTooLate(decide.error)} />}
      {status === "pending" && !isTooLate(decide.error) && <Failure error={decide.error} />}
      {mode !== "edit" && (
        <Section
          title="Arguments"
          actions={
            <Button look="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
              Raw JSON
            </Button>
          }
        >
          {isRaw ? <Json value={args} label="the arguments" /> : <Arguments args={args} />}
        </Section>
      )}
      {status === "pending" && mode === "edit" && (
        <EditArguments
          args={args}
          error={decide.error}
          isSending={decide.isPending}
          onSend={(edited, message) =>
            decide.mutate({ decision: "approve", args: edited, ...(message !== "" && { message }) })
          }
          onClose={close}
        />
      )}
      {status === "pending" && mode === "deny" && (
        <Deny
          isSending={decide.isPending}
          onSend={(message) => decide.mutate({ decision: "deny", ...(message !== "" && { message }) })}
          onClose={close}
        />
      )}
      {status === "pending" && mode === "read" && (
        <div className="sticky -bottom-5 order-last -mx-4 flex gap-2 border-t border-line bg-ground px-4 py-3 md:static md:order-none md:m-0 md:border-0 md:p-0">
          <Button look="primary" className="max-md:flex-1" disabled={!isOpen} onClick={approve}>
            Approve <Key letter="A" />
          </Button>
          <Button look="danger" className="max-md:flex-1" onClick={() => setMode("deny")}>
            Deny <Key letter="D" />
          </Button>
          <Button onClick={() => setMode("edit")}>
            Edit <Key letter="E" />
          </Button>
        </div>
      )}
      <LastMessages approval={approval} />
    </div>
  );
}

function Key({ letter }: { letter: string }) {
  return (
    <span aria-hidden="true" className="font-mono text-small opacity-80 max-md:hidden">
      {letter}
    </span>
  );
}

/** Another user was faster, or the time has ended. */
function isTooLate(error: Error | null): boolean {
  return (
    error instanceof MusterError && (error.code === "APPROVAL_DECIDED" || error.code === "APPROVAL_EXPIRED")
  );
}

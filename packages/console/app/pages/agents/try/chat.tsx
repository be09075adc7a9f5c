import type { InteractiveProgram } from "@muster/language";
import { useSession } from "@muster/react";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { muster } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Id } from "../../../parts/copy.tsx";
import { Skeleton } from "../../../parts/empty.tsx";
import { Failure } from "../../../parts/failure.tsx";
import type { Message } from "../../../parts/input-values.ts";
import { useEnd } from "../../../parts/use-end.ts";
import { Transcript } from "../../sessions/transcript.tsx";
import { WaitingCalls } from "../../sessions/waiting-calls.tsx";
import { useAgent } from "../agent.tsx";
import { TriggerForm } from "./trigger-form.tsx";

interface Props {
  program: InteractiveProgram;
  sessionId: string;
  /** Sent as soon as the session is read. The form shows it until then, and if it is refused. */
  first: Message | undefined;
  onRestart: () => void;
}

/** A conversation with the agent. Its author answers the tools. */
export function Chat({ program, sessionId, first, onRestart }: Props) {
  const agent = useAgent();
  const session = useSession(muster, sessionId);
  const { messages, status, approvals, toolCalls, error, send, stop, retry, decide, answer, upload } =
    session;
  const unsent = useRef(first);
  const [shown, setShown] = useState(first);
  useEffect(() => {
    if (status !== "ready" || unsent.current === undefined) return;
    const { trigger, input } = unsent.current;
    unsent.current = undefined;
    void send(input, { trigger }).then((isSent) => isSent && setShown(undefined));
  }, [status, send]);
  const waiting = useMemo(() => new Set(toolCalls.map(({ toolCallId }) => toolCallId)), [toolCalls]);
  const { end } = useEnd([messages, toolCalls, approvals]);
  const isRunning = status === "running";
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table text-muted">
        <span>Session</span>
        <Id id={sessionId} />
        <Link to="/sessions/$sessionId" params={{ sessionId }} className="hover:text-text hover:underline">
          Open its log
        </Link>
        <Button look="quiet" className="ml-auto" onClick={onRestart}>
          New session
        </Button>
      </div>
      <div className="grid flex-1 content-start gap-4">
        {status === "loading" && messages.length === 0 ? (
          <Skeleton lines={3} />
        ) : (
          <Transcript {...{ messages, waiting }} agentName={agent.settings.name} userName="You" />
        )}
        <WaitingCalls {...{ approvals, toolCalls, decide, answer }} exampleOf={() => undefined} />
        <Failure error={error ?? null} onRetry={() => void retry()} />
        <div ref={end} />
      </div>
      <TriggerForm
        key={shown === undefined ? "new" : "first"}
        program={program}
        first={shown}
        isBusy={isRunning || status === "loading"}
        error={error}
        upload={upload}
        onSend={({ trigger, input }) => send(input, { trigger })}
      >
        {isRunning && <Button onClick={() => void stop()}>Stop</Button>}
      </TriggerForm>
    </div>
  );
}

import { useMutation } from "@tanstack/react-query";
import { muster, refresh } from "../../api.ts";
import { Button } from "../../parts/button.tsx";

interface Props {
  status: string;
  agentId: string;
  threadId: string;
  /** The words of the task, in a list of several. */
  title?: string;
}

/** Takes back what has not begun, and cancels what has. */
export function StopThread({ status, agentId, threadId, title }: Props) {
  const isQueued = status === "queued";
  const word = isQueued ? "Withdraw" : "Cancel";
  const stop = useMutation({
    mutationFn: () => {
      const thread = muster.workforce.open(agentId, threadId);
      return isQueued ? thread.withdraw() : thread.cancel();
    },
    onSettled: () => refresh("/api/admin/workforce"),
  });
  return (
    <>
      {stop.error !== null && <span className="text-table text-bad">{stop.error.message}</span>}
      <Button
        {...(title === undefined
          ? { look: "danger" }
          : { look: "quiet", className: "-mr-2", "aria-label": `${word} ${title}` })}
        disabled={stop.isPending}
        onClick={() => stop.mutate()}
      >
        {isQueued || title !== undefined ? word : "Cancel the run"}
      </Button>
    </>
  );
}

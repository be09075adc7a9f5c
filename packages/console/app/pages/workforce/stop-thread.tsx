import { useMutation } from "@tanstack/react-query";
import { muster, refresh } from "../../api.ts";
import { Button } from "../../parts/button.tsx";

interface Props {
  status: string;
  agentId: string;
  threadId: string;
}

/** Takes back what has not begun, and cancels what has. */
export function StopThread({ status, agentId, threadId }: Props) {
  const isRunning = status === "running";
  const stop = useMutation({
    mutationFn: () => {
      const thread = muster.workforce.open(agentId, threadId);
      return isRunning ? thread.cancel() : thread.withdraw();
    },
    onSettled: () => refresh("/api/admin/workforce"),
  });
  return (
    <>
      {stop.error !== null && <span className="text-table text-bad">{stop.error.message}</span>}
      <Button look="danger" disabled={stop.isPending} onClick={() => stop.mutate()}>
        {isRunning ? "Cancel the run" : "Withdraw"}
      </Button>
    </>
  );
}

import { Navigate, useParams } from "@tanstack/react-router";
import { useCredential } from "../../../frame/credential.ts";
import { Skeleton } from "../../../parts/empty.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { useAgent } from "../agent.tsx";
import { useProgram } from "../definition/use-compiled.ts";
import { hasDraft } from "../definition/use-draft.ts";
import { TryChat } from "./try-chat.tsx";
import { TryWorker } from "./try-worker.tsx";

/** Runs the agent for its author. Its inputs and tools are those of the compiled definition. */
export function Try() {
  const agent = useAgent();
  const { agentId } = useParams({ from: "/agents/$agentId" });
  const mayRun = useCredential().permissions.includes("sessions");
  const { program, error } = useProgram(agent);
  if (!mayRun) return <Navigate to="/agents/$agentId/definition" params={{ agentId }} replace />;
  if (error !== null) return <Failure error={error} />;
  if (program === undefined) return <Skeleton lines={4} />;
  if (program === null)
    return (
      <p className="text-muted">The stored definition does not compile. The tab Definition shows why.</p>
    );
  return (
    <>
      {hasDraft(agent.id) && (
        <p className="mb-4 text-table text-warn">
          This runs the stored version. Your changes to the definition are not saved.
        </p>
      )}
      {program.format === "worker" ? <TryWorker program={program} /> : <TryChat program={program} />}
    </>
  );
}

import type { SessionList } from "@muster/client";
import { Circle, CircleCheckBig } from "lucide-react";
import { useApi } from "../../api.ts";
import { Command } from "../../parts/copy.tsx";
import { useDefinedAgents } from "../../parts/use-agents.ts";

/** The README's first commands, each ticked once it has happened. */
export function FirstSteps() {
  const agents = useDefinedAgents();
  const sessions = useApi<SessionList>("/api/agent-sessions", { limit: 1 });
  const steps = [
    {
      title: "Set the server and a key for the command",
      command: `export MUSTER_URL=${location.origin} MUSTER_API_KEY=svc_sk_…`,
      isDone: true,
    },
    {
      title: "Create the example agent",
      command: "npx @muster/cli agents push examples/support-chat --yes",
      isDone: (agents.data?.agents.length ?? 0) > 0,
    },
    {
      title: "Talk to it",
      command: "npx @muster/cli chat support-chat",
      isDone: (sessions.data?.sessions.length ?? 0) > 0,
    },
  ];
  return (
    <div className="mx-auto grid max-w-xl gap-6 py-10">
      <div>
        <h2 className="text-title font-semibold">Welcome to Muster</h2>
        <p className="mt-1 text-muted">
          Three commands, run in the folder of Muster, lead to your first conversation. This page shows your
          progress.
        </p>
      </div>
      <ol className="grid gap-4">
        {steps.map(({ title, command, isDone }) => {
          const Icon = isDone ? CircleCheckBig : Circle;
          return (
            <li key={title} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-2">
              <Icon size={20} aria-hidden="true" className={isDone ? "text-good" : "text-muted"} />
              <span>
                {title}
                <span className="sr-only">{isDone ? " (done)" : " (to do)"}</span>
              </span>
              <div className="col-start-2">
                <Command text={command} />
              </div>
            </li>
          );
        })}
      </ol>
      <p className="text-muted">
        To see more than an empty server, run <code className="font-mono text-small">npm run demo-data</code>:
        it makes a week of sample work.
      </p>
    </div>
  );
}

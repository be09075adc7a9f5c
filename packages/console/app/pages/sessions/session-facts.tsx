import type { ActiveSession, Agent } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { Id } from "../../parts/copy.tsx";
import { count, duration, money } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { flatten, type Step } from "./step.ts";
import { timeAxis } from "./time-axis.ts";

interface Props {
  session: ActiveSession;
  agent: Agent | undefined;
  turns: readonly Step[];
}

const chip = "rounded-chip border border-line px-1.5 font-mono text-small leading-5 hover:border-faint";

/** Whose session it is, and what it took. */
export function SessionFacts({ session, agent, turns }: Props) {
  const { id, agentId, subject, metadata, usage } = session;
  const state = turns.at(-1)?.state ?? "active";
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-6 py-2 text-table max-md:px-4">
      <Status state={state} />
      <Link to={agentPage(agentId)} className="text-accent hover:underline">
        {agent?.settings.name ?? agentId}
      </Link>
      <Id id={id} />
      {subject !== undefined && <span className="text-muted">for {subject}</span>}
      {Object.entries(metadata).map(([key, value]) => (
        <Link
          key={key}
          to="/sessions"
          search={{ metadata: `${key}=${value}` }}
          className={chip}
          title="All sessions with this value"
        >
          {key}={value}
        </Link>
      ))}
      <Totals turns={turns} usage={usage} />
    </div>
  );
}

/** A plain address: its route belongs to another area. */
function agentPage(agentId: string): string {
  return `/agents/${agentId}`;
}

function Totals({ turns, usage }: { turns: readonly Step[]; usage: ActiveSession["usage"] }) {
  const steps = flatten(turns).filter(({ kind }) => kind === "model").length;
  const busyMs = turns.reduce((sum, turn) => sum + timeAxis([turn], Date.now()).busyMs, 0);
  const totals = [
    ["Worked", duration(busyMs)],
    ["Steps", String(steps)],
    ["Tokens", count(usage.tokens.totalTokens)],
    ["Cost", money(usage.cost.totalFee)],
  ] as const;
  return (
    <dl className="ml-auto flex gap-4 max-md:ml-0">
      {totals.map(([name, value]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-muted">{name}</dt>
          <dd className="font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

import type { ProjectList, ProjectThreadList, UsageReport } from "@muster/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { useHealth } from "../../frame/health.tsx";
import { money } from "../../parts/format.ts";
import { Bar, shareOf } from "../../parts/meter.tsx";
import { usePending } from "../../parts/use-pending.ts";

/** The numbers that matter: work, decisions, failures, money, health. */
export function Numbers() {
  const { permissions } = useCredential();
  return (
    <div className="mb-8 grid grid-cols-4 gap-3 max-lg:grid-cols-2">
      {permissions.includes("workforce") && <Working />}
      {permissions.includes("approve") && <Waiting />}
      {permissions.includes("workforce") && <Failed />}
      {permissions.includes("admin") && <Spent />}
      <Healthy />
    </div>
  );
}

interface TileProps {
  label: string;
  to?: string;
  value: string | undefined;
  error?: Error | null;
  note?: ReactNode;
  tone?: string;
}

function Tile({ label, to, value, error = null, note, tone = "" }: TileProps) {
  return (
    <div className="relative grid content-start gap-1 rounded-card border border-line bg-panel p-4">
      <p className="text-table text-muted">
        {to === undefined ? (
          label
        ) : (
          <Link to={to} className="after:absolute after:inset-0 hover:text-text">
            {label}
          </Link>
        )}
      </p>
      <p className={`min-h-8 text-[26px] leading-8 font-semibold ${tone}`}>{value ?? (error ? "–" : "…")}</p>
      <div className="min-h-4 text-small text-muted">
        {value === undefined && error ? "This could not be read." : note}
      </div>
    </div>
  );
}

/** Pages of threads end at this many, and so does what a number says. */
const most = 100;
const shown = (length: number | undefined) =>
  length === undefined ? undefined : length === most ? `${most}+` : String(length);

function useThreads(status: string) {
  const query = { status, limit: most };
  const { data, error } = useApi<ProjectThreadList>("/api/admin/workforce/threads", query);
  return { threads: data?.threads, error };
}

const queueOf = (length = "0") =>
  length === "1" ? "1 task waits in a queue" : `${length} tasks wait in queues`;

function Working() {
  const { threads: running, error } = useThreads("running");
  const { threads: queued } = useThreads("queued");
  return (
    <Tile
      label="Teammates at work"
      to="/workforce"
      value={shown(running?.length)}
      error={error}
      note={queued && queueOf(shown(queued.length))}
    />
  );
}

function Waiting() {
  const { data, error } = usePending();
  const pending = data?.approvals;
  return (
    <Tile
      label="Calls waiting for a decision"
      to="/approvals"
      value={shown(pending?.length)}
      error={error}
      tone={pending?.length ? "text-warn" : ""}
      note={pending?.length === 0 && "No call waits for you"}
    />
  );
}

function Failed() {
  const { threads, error } = useThreads("failed");
  const today = new Date().toDateString();
  const failed = threads?.filter(
    ({ completedAt }) => completedAt !== null && new Date(completedAt).toDateString() === today,
  );
  return (
    <Tile
      label="Tasks failed today"
      to="/workforce"
      value={shown(failed?.length)}
      error={error}
      tone={failed?.length ? "text-bad" : ""}
      note={threads && threads.length > 0 && `${shown(threads.length)} in all`}
    />
  );
}

function Spent() {
  const { projectId } = useCredential();
  const usage = useApi<UsageReport>("/api/usage", { groupBy: "day" });
  const projects = useApi<ProjectList>("/api/admin/projects");
  const limit = projects.data?.projects.find(({ id }) => id === projectId)?.limits.monthlyUsd ?? null;
  const spent = usage.data && Number(usage.data.total.totalFeeUsd);
  const share = limit === null || spent === undefined ? 0 : shareOf(spent, limit);
  return (
    <Tile
      label="Spent this month"
      to="/usage"
      value={spent === undefined ? undefined : money(spent)}
      error={usage.error}
      tone={share >= 0.8 ? "text-warn" : ""}
      note={
        limit === null ? (
          "No limit is set"
        ) : (
          <>
            <p className="mb-1.5">of {money(limit)}</p>
            <Bar share={share} />
          </>
        )
      }
    />
  );
}

/** Shown only if something does not work. */
function Healthy() {
  const { data, isError } = useHealth();
  const broken = Object.entries(data?.dependencies ?? {}).filter(([, state]) => state !== "ok");
  const problems = [...broken.map(([name, state]) => `${name}: ${state}`), ...(data?.degraded ?? [])];
  if (!isError && problems.length === 0) return null;
  return (
    <Tile
      label="Health"
      value={isError ? "Unreachable" : "Degraded"}
      tone="text-bad"
      note={problems.join(", ")}
    />
  );
}

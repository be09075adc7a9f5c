import { type Outcome, readOutcome } from "./outcome.ts";

export interface CallId {
  readonly agentId: string;
  readonly callId: string;
}

/** The process that leads a command's group, and when it started. */
export interface Leader {
  readonly pid: number;
  readonly started: string;
}

/** A line of the journal. */
export type Line =
  | { begin: CallId; leader?: Leader }
  | { end: CallId; outcome: Outcome }
  | { ack: CallId }
  | { agent: string; epoch: bigint }
  | { computer: string; epoch: bigint };

export function keyOf({ agentId, callId }: CallId): string {
  return `${agentId} ${callId}`;
}

/** The line as JSON can express it, which has no large integers. */
export function lineOf(line: Line): object {
  return "epoch" in line ? { ...line, epoch: String(line.epoch) } : line;
}

/** Undefined for a line that is damaged, or of a later version. */
export function readLine(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const line: Record<string, unknown> = { ...value };
  const [begin, end, ack] = [idIn(line.begin), idIn(line.end), idIn(line.ack)];
  if (begin !== undefined) {
    const leader = leaderIn(line.leader);
    return { begin, ...(leader && { leader }) };
  }
  if (end !== undefined) return { end, outcome: readOutcome(line.outcome) };
  if (ack !== undefined) return { ack };
  if (typeof line.epoch !== "string" || !/^\d{1,20}$/.test(line.epoch)) return undefined;
  const epoch = BigInt(line.epoch);
  if (typeof line.agent === "string") return { agent: line.agent, epoch };
  return typeof line.computer === "string" ? { computer: line.computer, epoch } : undefined;
}

function idIn(value: unknown): CallId | undefined {
  if (typeof value !== "object" || value === null || !("agentId" in value) || !("callId" in value))
    return undefined;
  const { agentId, callId } = value;
  return typeof agentId === "string" && typeof callId === "string" ? { agentId, callId } : undefined;
}

function leaderIn(value: unknown): Leader | undefined {
  if (typeof value !== "object" || value === null || !("pid" in value) || !("started" in value))
    return undefined;
  const { pid, started } = value;
  return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
}

import type { LogEntry } from "@muster/client";
import type { Step, StepKind } from "./step.ts";

/** The turns of a log with their steps, oldest first. `runningId`: the execution that has not ended. */
export function readSteps(entries: readonly LogEntry[], runningId?: string): Step[] {
  const turns = new Map<string, Turn>();
  for (const entry of entries) {
    const { executionId } = entry;
    const turn = turns.get(executionId) ?? new Turn(entry);
    turns.set(executionId, turn);
    turn.take(entry);
  }
  return [...turns.values()].map((turn) => turn.end(turn.root.executionId === runningId));
}

/** Gathers the entries of one execution. */
class Turn {
  readonly root: Step;
  readonly #workers = new Map<string, Step>();
  readonly #tools = new Map<string, Step>();
  readonly #approvals = new Map<string, Step>();
  /** The output of a model precedes the entry that says how long it took. */
  #latest: LogEntry | undefined;
  readonly #written = new Map<string, LogEntry[]>();

  constructor(first: LogEntry) {
    const title = first.type === "trigger" ? first.triggerName || "worker" : "turn";
    this.root = stepOf("turn", title, first, 0);
    this.root.workerId = undefined;
    this.root.entries = [];
  }

  take(entry: LogEntry): void {
    this.#latest = entry;
    switch (entry.type) {
      case "trigger":
      case "message":
      case "block-operation":
      case "thread-created":
        this.root.entries.push(entry);
        return;
      case "model-request":
      case "llm-response":
      case "reasoning":
      case "llm-tool-request": {
        const key = `${entry.workerId} ${entry.model} ${entry.step}`;
        this.#written.set(key, [...(this.#written.get(key) ?? []), entry]);
        return;
      }
      case "step-stats":
        this.#takeStats(entry);
        return;
      case "tool-call":
        this.#tools.set(
          entry.toolCallId,
          this.#add("tool", entry.toolName, entry, {
            toolCallId: entry.toolCallId,
            isWaiting: entry.executor === "caller",
          }),
        );
        return;
      case "tool-output-bounded":
        this.#tools.get(entry.toolCallId)?.entries.push(entry);
        return;
      case "tool-result": {
        const { toolCallId, toolName } = entry;
        const known = this.#tools.get(toolCallId);
        const step = known ?? this.#add("tool", toolName, entry, { toolCallId });
        if (known !== undefined) step.entries.push(entry);
        const state = ({ done: "completed", error: "failed", cancelled: "cancelled" } as const)[entry.status];
        close(step, entry, state);
        if (entry.error !== undefined) step.error = { message: entry.error };
        return;
      }
      case "approval": {
        const { approvalId, toolName, toolCallId } = entry;
        const known = this.#approvals.get(approvalId);
        const step = known ?? this.#add("approval", toolName, entry, { toolCallId, isWaiting: true });
        this.#approvals.set(approvalId, step);
        if (entry.status === "pending") return;
        if (known !== undefined) step.entries.push(entry);
        close(step, entry, entry.status === "approved" ? "completed" : "cancelled");
        return;
      }
      case "worker-execution":
        if (entry.workerId !== undefined)
          this.#workers.set(entry.workerId, this.#add("worker", entry.workerSlug, entry));
        return;
      case "worker-output": {
        const worker = this.#workers.get(entry.workerId ?? "");
        if (worker === undefined) return;
        worker.entries.push(entry);
        close(worker, entry, entry.error === undefined ? "completed" : "failed");
        if (entry.error !== undefined) worker.error = { message: entry.error };
        return;
      }
      case "compaction":
        close(this.#add("note", "shorter context", entry), entry, "completed");
        return;
      case "abort":
        close(this.#add("note", `stopped: ${entry.cause}`, entry), entry, "cancelled");
        this.root.state = "cancelled";
        return;
      case "error": {
        // The failed call of a model says less than the error that follows it.
        const failed = this.#siblings(entry.workerId).findLast(({ kind }) => kind === "model");
        const step =
          failed?.state === "failed" && failed.error === undefined
            ? failed
            : this.#add("error", entry.code ?? entry.errorType, entry);
        if (step === failed) step.entries.push(entry);
        else close(step, entry, "failed");
        step.error = entry;
        if (!entry.isHandled) this.root.state = "failed";
      }
    }
  }

  /** The tree, with the end of whatever has none of its own. */
  end(isRunning: boolean): Step {
    if (isRunning) this.#addWork();
    const steps = [...this.#tree(this.root)];
    const lastMs = Math.max(...steps.map(({ startMs, endMs }) => endMs ?? startMs));
    for (const step of steps) {
      const isOpen = step === this.root || step.endMs === undefined;
      if (!isOpen) continue;
      if (isRunning) {
        if (step.state !== "failed") step.state = step.isWaiting ? "waiting" : "running";
        continue;
      }
      step.endMs = lastMs;
      if (step.state === "running") step.state = step === this.root ? "completed" : "cancelled";
    }
    if (isRunning && steps.some(({ state }) => state === "waiting")) this.root.state = "waiting";
    return this.root;
  }

  /** The log tells about a model call once it has ended. Until then, something works since the latest entry. */
  #addWork(): void {
    const steps = [...this.#tree(this.root)];
    const isOpen = steps.some(
      ({ kind, endMs }) => endMs === undefined && kind !== "turn" && kind !== "worker",
    );
    if (isOpen || this.#latest === undefined) return;
    const step = stepOf("model", "at work", this.#latest, 1);
    this.root.children.push({ ...step, id: `${step.id}-work`, entries: [] });
  }

  *#tree(step: Step): Generator<Step> {
    yield step;
    step.children.sort((one, other) => one.startMs - other.startMs);
    for (const child of step.children) yield* this.#tree(child);
  }

  #takeStats(entry: Extract<LogEntry, { type: "step-stats" }>): void {
    const key = `${entry.workerId} ${entry.model} ${entry.step}`;
    const step = this.#add("model", entry.model, entry);
    step.entries = [...(this.#written.get(key) ?? []), entry];
    this.#written.delete(key);
    step.stats = entry;
    step.startMs = Date.parse(entry.timestamp) - entry.latencyMs;
    const isCut = entry.finishReason === "aborted";
    close(step, entry, entry.finishReason === "failed" ? "failed" : isCut ? "cancelled" : "completed");
  }

  #siblings(workerId: string | undefined): Step[] {
    return (this.#workers.get(workerId ?? "") ?? this.root).children;
  }

  #add(kind: StepKind, title: string, entry: LogEntry, more: Partial<Step> = {}): Step {
    const parent = this.#workers.get(entry.workerId ?? "") ?? this.root;
    const step = { ...stepOf(kind, title, entry, parent.depth + 1), ...more };
    parent.children.push(step);
    return step;
  }
}

function stepOf(kind: StepKind, title: string, entry: LogEntry, depth: number): Step {
  const { id, executionId, workerId, timestamp } = entry;
  const about = { id, executionId, workerId, depth, startMs: Date.parse(timestamp) };
  return { ...about, kind, title, state: "running", isWaiting: false, entries: [entry], children: [] };
}

function close(step: Step, { timestamp }: LogEntry, state: Step["state"]): void {
  step.endMs = Date.parse(timestamp);
  step.state = state;
}

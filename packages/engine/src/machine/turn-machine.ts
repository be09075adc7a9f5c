import { type NextMessageBlock, PromptTooLargeError } from "@muster/language";
import type { ModelFailure } from "@muster/models";
import { repeatStep, restoreStep, retractWait, retryOnBackup } from "../blocks/begin-step.ts";
import { abandonFold, retryReduced } from "../blocks/fold.ts";
import { endStep } from "../blocks/next-message.ts";
import type { Phase } from "../boundary/frame.ts";
import type { Decision, Effect, Input, Machine, RunningWorker, ToolOutcome } from "../boundary/machine.ts";
import { applyDecisions, makeApproved } from "../tools/approvals.ts";
import { endRemote, repeatRemote } from "../tools/remote-calls.ts";
import { applyOutcomes } from "../tools/tool-results.ts";
import { emitOuter, type Turn } from "../turn/turn.ts";
import { isReady } from "../workers/end-worker.ts";
import { endWait, execute, reopenBlock, settleOutcome } from "./execute-blocks.ts";
import { abort, fail, modelFailureEvent, pause, problemEvent, promptTooLargeEvent } from "./turn-end.ts";

/**
 * The inputs that a turn accepts in each phase. A turn that has ended ignores the rest of the calls that the driver had
 * in flight, and so does a worker; any other unexpected input is a bug in the driver.
 */
const accepted: Readonly<Record<Phase, ReadonlySet<Input["type"]>>> = {
  new: new Set(["start", "abort"]),
  model: new Set(["repeat-calls", "model-part", "model-done", "model-failed", "remote-outcome", "abort"]),
  parked: new Set(["repeat-calls", "model-part", "model-done", "model-failed", "remote-outcome", "abort"]),
  waiting: new Set(["tool-results", "abort"]),
  asking: new Set(["decisions", "abort"]),
  over: new Set(["model-part", "model-done", "model-failed", "remote-outcome", "abort"]),
};

/** Runs the blocks of a handler, or the steps of a worker, and the workers that they call. See `Machine`. */
export class TurnMachine implements Machine {
  readonly #turn: Turn;

  constructor(turn: Turn) {
    this.#turn = turn;
    for (const each of allTurns(turn)) {
      if (each.frame.phase === "model") inNextMessage(each, (block) => restoreStep(each, block));
      else if (each.frame.phase === "parked") restoreWait(each);
    }
  }

  get conversation() {
    return this.#turn.conversation;
  }

  get frame() {
    return this.#turn.frame;
  }

  get block() {
    return this.#turn.blocks[this.#turn.frame.blockIndex];
  }

  worker(workerId: string): RunningWorker | undefined {
    const worker = this.#turn.tree.workers.get(workerId);
    if (worker === undefined) return undefined;
    return {
      conversation: worker.conversation,
      frame: worker.frame,
      block: worker.blocks[worker.frame.blockIndex],
    };
  }

  advance(input: Input): Effect[] {
    const turn = this.#turn;
    const { phase } = turn.frame;
    if (!accepted[phase].has(input.type))
      throw new Error(`A turn in the phase ${phase} does not accept ${input.type}.`);
    const effects: Effect[] = [];
    turn.tree.effects = effects;
    if (phase !== "over") this.#take(input);
    return effects;
  }

  #take(input: Input): void {
    const root = this.#turn;
    const { tree, frame } = root;
    tree.mayRefuse = input.type === "start" || input.type === "tool-results";
    if (input.type === "model-part" || input.type === "model-done" || input.type === "model-failed") {
      const turn = input.workerId === undefined ? root : tree.workers.get(input.workerId);
      if (turn?.frame.phase !== "model") return;
      guarded(turn, () => take(turn, input));
      // Nothing else can have happened.
      if (turn.frame.phase === "model" && input.type === "model-part" && tree.calls.length === 0) return;
    } else guarded(root, () => take(root, input));
    goOn(root);
    if (frame.phase === "over" || isPaused(root)) return;
    if (frame.worthSaving) root.effects.push({ type: "save", messageId: frame.messageId });
    frame.worthSaving = false;
    root.effects.push(...tree.calls.splice(0));
  }
}

function allTurns({ tree }: Turn): Turn[] {
  return [tree.root, ...tree.workers.values()];
}

function isPaused({ frame }: Turn): boolean {
  return frame.phase === "waiting" || frame.phase === "asking";
}

/** Late outcomes are those of workers that have ended. */
function takeOutcome(
  { tree }: Turn,
  { workerId, toolCallId, outcome }: Extract<Input, { type: "remote-outcome" }>,
): void {
  const turn = workerId === undefined ? tree.root : tree.workers.get(workerId);
  if (turn === undefined) return;
  endRemote(turn, toolCallId, outcome);
  if (isReady(turn)) tree.due.push(turn);
}

/** The stream has seen how the block began that waits. That of a pause has seen its end too. */
function restoreWait(turn: Turn): void {
  turn.hasReader = true;
  if (isPaused(turn.tree.root)) return;
  const block = turn.blocks[turn.frame.blockIndex];
  const id = turn.frame.open?.runId;
  turn.openBlock = id === undefined || block === undefined ? undefined : { id, thread: block.thread };
}

/** Runs whatever can continue. If nothing can before the caller's results or decisions arrive, the turn pauses. */
function goOn(root: Turn): void {
  const { due } = root.tree;
  for (let turn = due.shift(); turn !== undefined; turn = due.shift()) proceed(turn);
  const isWaiting = allTurns(root).every(
    ({ frame }) => frame.phase === "parked" && frame.remoteCalls === undefined,
  );
  if (isWaiting) pause(root);
}

function proceed(turn: Turn): void {
  if (turn.frame.phase === "new") guarded(turn, () => execute(turn));
  else if (isReady(turn)) guarded(turn, () => endWait(turn));
}

/**
 * Values that the turn itself produced can make a prompt too large; earlier output is kept. At the beginning of a turn, the
 * trigger is refused instead.
 */
function guarded(turn: Turn, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof PromptTooLargeError)) throw error;
    if (turn.origin === undefined && turn.tree.mayRefuse) throw error;
    fail(turn, promptTooLargeEvent);
  }
}

function take(turn: Turn, input: Input): void {
  switch (input.type) {
    case "model-part":
      turn.step?.take(input.part);
      // A step that the guard has cut has ended, even if the model sends more.
      if (turn.step?.isLooping) cutStep(turn);
      break;
    case "start":
      announce(turn, input.sessionId);
      announceWorker(turn);
      execute(turn);
      break;
    case "tool-results":
      takeResults(turn, input.outcomes);
      break;
    case "remote-outcome":
      takeOutcome(turn, input);
      break;
    case "decisions":
      takeDecisions(turn, input.decisions);
      break;
    case "repeat-calls":
      repeatCalls(turn, input);
      break;
    case "model-done":
      endOfStep(turn);
      break;
    case "model-failed":
      inNextMessage(turn, (block) => {
        if (!callAgain(turn, block, input.failure)) fail(turn, modelFailureEvent(input.failure));
      });
      break;
    case "abort":
      // Readers follow the turn through the pause.
      if (turn.frame.phase === "asking") announce(turn);
      abort(turn);
      break;
    default:
      input satisfies never;
  }
}

/** False if the failure is final. */
function callAgain(turn: Turn, block: NextMessageBlock, failure: ModelFailure): boolean {
  return (
    abandonFold(turn, block, failure) ||
    retryReduced(turn, block, failure) ||
    retryOnBackup(turn, block, failure)
  );
}

function announce(turn: Turn, sessionId?: string): void {
  const { messageId, executionId, lastMessageId } = turn.frame;
  emitOuter(turn, {
    type: "start",
    messageId,
    executionId,
    ...(lastMessageId !== undefined && { lastMessageId }),
    ...(sessionId !== undefined && { sessionId }),
  });
  turn.hasReader = true;
}

/** Once per execution: a continued stream keeps the `workerId` of the first. */
function announceWorker(turn: Turn): void {
  const { workerId, workerSlug } = turn.frame;
  if (workerId === undefined || workerSlug === undefined) return;
  emitOuter(turn, { type: "worker-start", workerId, workerSlug, input: turn.sessionInput });
}

/** A continued turn: first the outcomes, then the blocks that waited, in the turn and in its workers. */
function takeResults(root: Turn, outcomes: readonly ToolOutcome[]): void {
  const { frame, tree } = root;
  announce(root);
  frame.phase = "parked";
  frame.pendingToolCalls = frame.pendingToolCalls.filter(({ workerId }) => workerId === frame.workerId);
  const turns = allTurns(root);
  for (const turn of turns) turn.answered = applyOutcomes(turn, outcomes);
  for (const turn of turns) reopenBlock(turn);
  tree.due.push(...turns.filter(isReady));
}

/** A turn that users have decided about: approved calls are made, and the blocks whose calls were denied or answered continue. */
function takeDecisions(root: Turn, decisions: ReadonlyMap<string, Decision>): void {
  announce(root);
  root.frame.phase = "parked";
  const turns = allTurns(root);
  for (const turn of turns) {
    const failure = applyDecisions(turn, decisions);
    if (failure === undefined) continue;
    fail(turn, problemEvent("execution_error", failure));
    if (turn === root) return;
  }
  const parked = turns.filter(({ frame }) => frame.phase === "parked");
  for (const turn of parked) reopenBlock(turn);
  // Readers know workers that start outside a block as executions of their own.
  for (const turn of parked) makeApproved(turn);
  root.tree.due.push(...parked.filter(isReady));
}

/** Repeats the calls in flight. Nothing that clients may have seen has the same id. */
function repeatCalls(
  root: Turn,
  { lostEvents, isUnsent = false, open }: Extract<Input, { type: "repeat-calls" }>,
): void {
  root.frame.itemCount += lostEvents;
  root.frame.ownCallIds = true;
  const turns = allTurns(root);
  for (const turn of turns) {
    const thread = turn.blocks[turn.frame.blockIndex]?.thread;
    if (turn.frame.phase === "model") guarded(turn, () => repeatCall(turn));
    else if (turn.frame.remoteCalls !== undefined && thread !== undefined) retractWait(turn, thread);
  }
  // The output that a worker retracts is gone from its callers, too.
  for (const turn of turns) repeatRemote(turn, isUnsent, open);
  root.tree.due.push(...turns.filter(isReady));
}

function repeatCall(turn: Turn): void {
  inNextMessage(turn, (block) => {
    const problem = repeatStep(turn, block);
    if (problem !== undefined) fail(turn, problemEvent("protocol_error", problem));
  });
}

function cutStep(turn: Turn): void {
  const { effects, origin } = turn;
  effects.push({ type: "drop-call", ...(origin !== undefined && { workerId: origin.part.worker.workerId }) });
  endOfStep(turn);
}

function endOfStep(turn: Turn): void {
  inNextMessage(turn, (block) => settleOutcome(turn, block, endStep(turn, block)));
}

function inNextMessage(turn: Turn, act: (block: NextMessageBlock) => void): void {
  const block = turn.blocks[turn.frame.blockIndex];
  if (block?.kind === "next-message") act(block);
}

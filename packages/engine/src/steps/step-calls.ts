import type { LanguageModelV4ToolCall, LanguageModelV4ToolResult } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject, parseJson } from "@muster/language";
import { maxPendingCalls } from "../boundary/frame.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { asObject } from "../conversation/messages.ts";
import {
  announceArguments,
  announceCall,
  announceInputDelta,
  announceInputEnd,
  cancelCall,
  failCall,
  fulfilCall,
} from "../shown/call-events.ts";
import { labelOf } from "../shown/display.ts";
import { hostedLook, isOffered, isWorkerOf, lookOf, whyMissing } from "../tools/offered-tools.ts";
import { rememberForeign } from "../tools/tool-results.ts";
import { boundOn, configOf } from "../turn/scope.ts";
import { usedCallIds } from "../turn/turn.ts";
import { LoopGuard } from "./loop-guard.ts";
import type { StepOutput } from "./step-texts.ts";

interface OpenInput {
  readonly part: ToolCallPart;
  readonly guard?: LoopGuard | undefined;
  inputEnded: boolean;
}

/** Arguments repeat themselves legitimately more often than prose: data, tables, source code. */
const patienceWithArguments = 4;

/** Longer than any declared name can be; names that models invent have no limit. */
const maxToolNameLength = 128;
/** Each call needs a result, and a caller may send only so many. The model can repeat the others in its next step. */
const tooManyCalls = `Only the first ${maxPendingCalls} calls of a step are made. Make this call again in the next step.`;
/** Ids that every provider accepts back. */
const acceptableId = /^[A-Za-z0-9_-]{1,64}$/;

/** The tool calls of one model step, while the model is writing them. */
export class StepCalls {
  readonly #output: StepOutput;
  readonly #parts: ToolCallPart[] = [];
  /** Incomplete calls by the provider's id. */
  readonly #inputs = new Map<string, OpenInput>();
  #isLooping = false;
  /** Complete calls that are carried out after the step. */
  #made = 0;

  constructor(output: StepOutput) {
    this.#output = output;
  }

  /** All calls of the step, in the order in which the model began them. */
  get parts(): readonly ToolCallPart[] {
    return this.#parts;
  }

  /** True if the arguments of a call repeat endlessly. Such a call is never complete, so it is not made. */
  get isLooping(): boolean {
    return this.#isLooping;
  }

  ids(): string[] {
    return this.#parts.map(({ toolCallId }) => toolCallId);
  }

  inputStart(call: { id: string; toolName: string; providerExecuted?: boolean }): void {
    if (this.#isForeign(call)) return;
    const abandoned = this.#inputs.get(call.id);
    if (abandoned !== undefined) this.#abandon(abandoned);
    this.#inputs.set(call.id, this.#begin(call.id, call.toolName, call.providerExecuted));
  }

  /** A provider may run tools that the model was not offered; they leave no trace. */
  #isForeign({ toolName, providerExecuted }: { toolName: string; providerExecuted?: boolean }): boolean {
    return providerExecuted === true && this.#hostedLook(toolName) === undefined;
  }

  #hostedLook(toolName: string) {
    const config = configOf(this.#output.turn, this.#output.block.thread);
    return config && hostedLook(config, toolName);
  }

  inputDelta(providerId: string, delta: string): void {
    const input = this.#inputs.get(providerId);
    if (input === undefined || input.inputEnded) return;
    if (input.guard !== undefined) this.#watch(input.guard, delta);
    announceInputDelta(input.part, delta, this.#output.show);
  }

  #watch(guard: LoopGuard, delta: string): void {
    guard.take(delta);
    if (guard.isLooping) this.#isLooping = true;
  }

  inputEnd(providerId: string): void {
    const input = this.#inputs.get(providerId);
    if (input !== undefined) this.#endInput(input);
  }

  complete(call: LanguageModelV4ToolCall): void {
    if (this.#isForeign(call)) return;
    const begun = this.#inputs.get(call.toolCallId);
    // Under another name it is another call, whose visibility must follow that tool's display.
    const isSame = begun?.part.toolName === nameOf(call.toolName);
    const input = isSame ? begun : this.#begin(call.toolCallId, call.toolName, call.providerExecuted);
    if (isSame) this.#inputs.delete(call.toolCallId);
    this.#endInput(input);
    if (input.part.hosted === undefined) this.#judge(input.part, call);
    else this.#run(input.part, call);
  }

  /** The result of a call that the provider has carried out. */
  result({ toolCallId, result, isError, preliminary }: LanguageModelV4ToolResult): void {
    const part = this.#parts.findLast(({ hosted }) => hosted?.callId === toolCallId);
    if (part?.status !== "running" || preliminary === true) return;
    rememberForeign(this.#output.turn);
    const json = JSON.stringify(result);
    const parsed = parseJson(json);
    if (isError === true || !parsed.ok) failCall(part, json, this.#output.show);
    else fulfilCall(part, parsed.value, this.#output.show);
  }

  close(): void {
    for (const input of this.#inputs.values()) this.#abandon(input);
    this.#inputs.clear();
  }

  /** For a step that has ended: the provider owes no more results. */
  endHosted(): void {
    for (const part of this.#parts) {
      if (part.hosted !== undefined && part.status === "running")
        cancelCall(part, "The call was cancelled: its provider returned no result.", this.#output.show);
    }
  }

  /** Before a step is retracted: the workers announced by its calls end, as all arguments have. */
  retractWorkers(): void {
    for (const part of this.#parts) {
      if (part.status === "pending" && part.worker !== undefined)
        cancelCall(part, "The call was cancelled: the step is repeated.", this.#output.show);
    }
  }

  /** For the end of a turn in the middle of the step: calls that are complete are not made either. */
  cancel(): void {
    for (const part of this.#parts) {
      if (part.status === "pending" || (part.hosted !== undefined && part.status === "running"))
        cancelCall(part, "The call was cancelled: the turn has ended.", this.#output.show);
    }
  }

  /** A call whose arguments never arrived can no longer be made. */
  #abandon(input: OpenInput): void {
    this.#endInput(input);
    cancelCall(input.part, "The call was cancelled: the model did not complete it.", this.#output.show);
  }

  #begin(providerId: string, toolName: string, isHosted = false): OpenInput {
    const { turn, block } = this.#output;
    const look = (isHosted ? this.#hostedLook(toolName) : undefined) ?? lookOf(turn, toolName);
    const display = this.#output.shown ? look.display : "hidden";
    const title = labelOf({ ...look, display });
    const part: ToolCallPart = {
      type: "tool-call",
      toolCallId: this.#uniqueId(providerId),
      toolName: nameOf(toolName),
      ...(title === undefined ? {} : { title }),
      display,
      source: "llm",
      ...(isHosted && { hosted: { callId: providerId } }),
      ...boundOn(turn, block.thread),
      args: {},
      status: "pending",
      ...(!isHosted &&
        isWorkerOf(turn, block.thread, toolName) && {
          worker: { workerId: turn.environment.newId("run"), messages: [] },
        }),
    };
    this.#parts.push(part);
    this.#output.message.parts.push(part);
    announceCall(part, this.#output.show);
    const guard = this.#output.guarded ? new LoopGuard(patienceWithArguments) : undefined;
    return { part, guard, inputEnded: false };
  }

  #endInput(input: OpenInput): void {
    if (input.inputEnded) return;
    input.inputEnded = true;
    announceInputEnd(input.part, this.#output.show);
  }

  /** The provider carries it out. */
  #run(part: ToolCallPart, call: LanguageModelV4ToolCall): void {
    this.#takeArguments(part, call);
    part.status = "running";
  }

  #takeArguments(part: ToolCallPart, call: LanguageModelV4ToolCall) {
    const read = readToolArguments(call.input);
    part.args = read.args;
    if (call.providerMetadata !== undefined) part.providerMetadata = call.providerMetadata;
    announceArguments(part, this.#output.show);
    return read;
  }

  #judge(part: ToolCallPart, call: LanguageModelV4ToolCall): void {
    const read = this.#takeArguments(part, call);
    const problem = this.#problemOf(part.toolName, read);
    if (problem !== undefined) failCall(part, problem, this.#output.show);
  }

  #problemOf(toolName: string, read: ReturnType<typeof readToolArguments>): string | undefined {
    const { turn, block } = this.#output;
    if (!isOffered(turn, block.thread, toolName)) return whyMissing(turn, block.thread, toolName);
    if (!read.ok) return read.problem;
    this.#made += 1;
    return this.#made > maxPendingCalls ? tooManyCalls : undefined;
  }

  /**
   * Some models restart the numbers of their calls in every step; in a stream and a conversation, ids are unique. Workers
   * run at the same time, and not every instance has the messages before a summary, so such calls never keep their ids.
   */
  #uniqueId(providerId: string): string {
    const { turn } = this.#output;
    const used = usedCallIds(turn);
    const usable = used !== undefined && !used.has(providerId) && acceptableId.test(providerId);
    const id = usable ? providerId : turn.environment.newId("call");
    used?.add(id);
    return id;
  }
}

function nameOf(toolName: string): string {
  return toolName.slice(0, maxToolNameLength) || "unnamed";
}

type ToolArguments = { ok: true; args: JsonObject } | { ok: false; args: JsonObject; problem: string };

/** Reads the arguments that a model wrote. Some models write nothing if a call has no arguments. */
function readToolArguments(text: string): ToolArguments {
  if (text.trim() === "") return { ok: true, args: {} };
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, args: asObject(text), problem: `The arguments ${parsed.problem}.` };
  const { value: args } = parsed;
  if (!isJsonObject(args))
    return { ok: false, args: asObject(args), problem: "The arguments must be a JSON object." };
  return { ok: true, args };
}

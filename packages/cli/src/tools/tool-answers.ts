import type { ToolResult } from "../api/sessions.ts";
import { usageError } from "../exit.ts";
import type { Io } from "../process-io.ts";
import { answerByCommand } from "./answer-by-command.ts";
import { answerFromFile, parseAnswer } from "./answer-values.ts";
import type { ToolCall } from "./tool-call.ts";

/** Returns the result of a call. Throws an Error whose message goes to the model. */
type Answer = (call: ToolCall, signal: AbortSignal) => Promise<unknown>;

/** The limit of the server for an error text. */
const maxErrorLength = 32_768;

/** Answers tool calls as set with the option `--tool`, and others by asking the user, if there is one. */
export class ToolAnswers {
  #ask: ((question: string) => Promise<string>) | undefined;
  /** The user answers one question at a time. */
  #lastAnswer: Promise<unknown> = Promise.resolve();
  readonly #answers: ReadonlyMap<string, Answer>;

  /** `declared` are the tools of the agent; undefined if they are not known. Throws a usage error for wrong options. */
  constructor(io: Io, options: readonly string[], declared: readonly string[] | undefined) {
    const answers = options.map((option) => readOption(io, option));
    for (const [name] of answers) {
      if (answers.filter(([other]) => other === name).length > 1)
        throw usageError(`--tool sets ${name} more than once.`);
      if (declared !== undefined && !declared.includes(name))
        throw usageError(
          `--tool: the agent has no tool ${name}. Its tools: ${declared.join(", ") || "none"}.`,
        );
    }
    this.#answers = new Map(answers);
  }

  has(toolName: string): boolean {
    return this.#ask !== undefined || this.#answers.has(toolName);
  }

  /** From now on, calls without an answer are put to the user. `ask`: resolves with the line that the user types. */
  askUser(ask: (question: string) => Promise<string>): void {
    this.#ask = ask;
  }

  /** Never rejects unless aborted: the model receives a failure as the result. */
  async answer(call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    const { toolCallId, toolName } = call;
    const answer = this.#answers.get(toolName) ?? (this.#ask && ((asked) => this.#answerOfUser(asked)));
    if (answer === undefined)
      return { toolCallId, toolName, error: "This tool is not available here. Continue without it." };
    try {
      return { toolCallId, toolName, result: await answer(call, signal) };
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      return { toolCallId, toolName, error: message.slice(0, maxErrorLength) };
    }
  }

  async #answerOfUser({ toolName, args }: ToolCall): Promise<unknown> {
    const question = `Result of ${toolName} ${JSON.stringify(args ?? {})}? JSON or text; an empty line for none.`;
    const asked = this.#lastAnswer.then(() => this.#ask?.(question));
    this.#lastAnswer = asked;
    const line = ((await asked) ?? "").trim();
    if (line === "") throw new Error("The user has given no result. Continue without it.");
    return parseAnswer(line);
  }
}

function readOption(io: Io, option: string): [name: string, answer: Answer] {
  const [, name, value] = /^([0-9A-Za-z_-]+)=([\s\S]*)$/.exec(option) ?? [];
  if (name === undefined || value === undefined)
    throw usageError(
      `--tool must be NAME=JSON, NAME=@FILE or NAME=cmd:COMMAND, not ${JSON.stringify(option)}.`,
    );
  if (value.startsWith("@")) return [name, () => answerFromFile(io, value.slice(1))];
  if (value.startsWith("cmd:"))
    return [name, (call, signal) => answerByCommand(io, value.slice(4), call, signal)];
  const result = parseAnswer(value);
  return [name, async () => result];
}

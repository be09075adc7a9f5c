import type { ToolCallPart, UiMessage, UiMessagePart } from "@muster/client";

/** A command on the agent's computer with its output so far. */
export interface CommandRun {
  id: string;
  command: string;
  directory: string;
  output: string;
  /** Why it ended badly, in a word or a sentence. */
  problem: string | undefined;
}

/** The commands of a conversation in their order. `outputs`: printed live, by the id of the call. */
export function commandsOf(
  messages: readonly UiMessage[],
  outputs: Readonly<Record<string, string>>,
): CommandRun[] {
  return messages.flatMap(({ parts }) => callsOf(parts)).map((call) => commandOf(call, outputs));
}

function callsOf(parts: readonly UiMessagePart[]): ToolCallPart[] {
  return parts.flatMap((part) => {
    if (part.type === "worker") return callsOf(part.parts);
    return part.type === "tool-call" && part.toolName === "shell__run_command" ? [part] : [];
  });
}

function commandOf(
  { toolCallId: id, args, result, error }: ToolCallPart,
  outputs: Readonly<Record<string, string>>,
): CommandRun {
  const stored = `${textOf(result, "stdout")}${textOf(result, "stderr")}`;
  const { [id]: printed = "" } = outputs;
  const exitCode: unknown = Reflect.get(Object(result), "exitCode");
  return {
    id,
    command: textOf(args, "command"),
    directory: textOf(args, "cwd").replace(/^\/home\/agent(?=\/|$)/, "~") || "~",
    // The events can be incomplete for a moment, and the result of much output is cut.
    output: printed.length < stored.length ? stored : printed,
    problem: error ?? (typeof exitCode === "number" && exitCode !== 0 ? `exit ${exitCode}` : undefined),
  };
}

function textOf(value: unknown, name: string): string {
  const text: unknown = Reflect.get(Object(value), name);
  return typeof text === "string" ? text : "";
}

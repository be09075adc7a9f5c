import type { WorkerProgram } from "@muster/language";
import { execute } from "../api/execute.ts";
import { findRunnableAgent, type RunnableAgent } from "../definition/find-runnable-agent.ts";
import { type ExitCode, exitCodes, failure } from "../exit.ts";
import { examples } from "../help.ts";
import type { AddCommand, Handler, Invocation } from "../invocation.ts";
import { collect } from "../options.ts";
import type { Output } from "../output.ts";
import { answersFor, toolOption } from "../tools/tool-option.ts";
import { inputPairs } from "../turn/input-pairs.ts";
import { Printer } from "../turn/printer.ts";
import { runTurn, type Turn, type TurnRequests } from "../turn/run-turn.ts";

export const runCommand: AddCommand = (group, act) => {
  group
    .command("run")
    .description("Run a worker agent and print its output.")
    .argument("<agent>", "Slug or id of the agent")
    .option("--input <NAME=VALUE>", "Input of the agent; repeatable", collect)
    .addOption(toolOption())
    .addHelpText(
      "after",
      examples(
        'muster run research-worker --input QUESTION="Why is the sky dark at night?"',
        "muster run research-worker --input QUESTION=Why --tool search-web=cmd:./search.sh --json",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const api = invocation.api();
  const agent = await findRunnableAgent(api, args[0] ?? "");
  const program = workerProgram(agent);
  const tools = answersFor(invocation, program);
  const input = inputPairs("--input", options.texts("input"), program?.input);
  const requests: TurnRequests = {
    isWorkerRun: true,
    start: (signal) => execute(api, agent.ref, { type: "start", input }, signal),
    resume: (executionId, toolResults, signal) =>
      execute(api, agent.ref, { type: "continue", executionId, toolResults }, signal),
  };
  const leaving = new AbortController();
  const stopListening = io.onInterrupt(() => leaving.abort());
  const printer = new Printer(out, { textIsResult: false });
  try {
    const turn = await runTurn(requests, { tools, printer, signal: leaving.signal });
    return report(invocation, agent, turn);
  } catch (error) {
    printer.end();
    if (leaving.signal.aborted) return exitCodes.interrupted;
    throw error;
  } finally {
    stopListening();
  }
};

function workerProgram({ name, program }: RunnableAgent): WorkerProgram | undefined {
  if (program?.format !== "interactive") return program;
  throw failure("INTERACTIVE_AGENT", `${name} is an interactive agent, not a worker.`, {
    hint: { purpose: "To chat with it", args: `chat ${name}` },
  });
}

function report({ out }: Invocation, { id }: RunnableAgent, turn: Turn): ExitCode {
  const { output, toolCalls, finishReason, error, usage } = turn;
  if (out.json) {
    const { cost, tokens } = usage ?? {};
    out.document({ agentId: id, output: output ?? null, toolCalls, finishReason, error, cost, tokens });
  } else if (error === null) showOutput(out, output);
  return error === null ? exitCodes.fine : exitCodes.failure;
}

function showOutput(out: Output, output: unknown): void {
  if (output === undefined) out.note("The agent returned no output.");
  else out.line(typeof output === "string" ? output : JSON.stringify(output, null, 2));
}

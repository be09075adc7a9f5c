import type { Program } from "@muster/language";
import { Option } from "commander";
import type { Invocation } from "../invocation.ts";
import { collect } from "../options.ts";
import { ToolAnswers } from "./tool-answers.ts";

/** The option `--tool` of the commands that answer tool calls. */
export function toolOption(): Option {
  const description =
    "Result of a tool: JSON or text, @FILE, or cmd:COMMAND, which reads the arguments; repeatable";
  return new Option("--tool <NAME=RESULT>", description).argParser(collect);
}

/** The answers that the command line sets for the tools of an agent. */
export function answersFor({ io, options }: Invocation, program: Program | undefined): ToolAnswers {
  // The tools of other agents that this one runs are not known here.
  const isComplete = program !== undefined && Object.keys(program.workers).length === 0;
  return new ToolAnswers(io, options.texts("tool"), isComplete ? Object.keys(program.tools) : undefined);
}

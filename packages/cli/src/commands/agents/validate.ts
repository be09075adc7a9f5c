import { Option } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { validateAgent } from "../../api/agents.ts";
import { type AskServer, checkFolder } from "../../definition/check-folder.ts";
import { type Finding, hasErrors } from "../../definition/findings.ts";
import { locate } from "../../definition/place.ts";
import { exitCodes, usageError } from "../../exit.ts";
import { githubCommand } from "../../formats/github.ts";
import { sarifLog } from "../../formats/sarif.ts";
import { showText } from "../../formats/text.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";

const formats = ["text", "json", "sarif", "github"];

export const validate: AddCommand = (group, act) => {
  group
    .command("validate")
    .description("Checks an agent folder, without a server.")
    .argument("[folder]", "default: the working directory")
    .addOption(new Option("--format <format>", "how to show what is found").choices(formats))
    .option("--server", "let the server check it, too")
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io } = invocation;
  const format = readFormat(invocation);
  const located = locate(io, args[0]);
  const { findings } = await checkFolder(located, serverCheck(invocation));
  show(invocation, format, findings, args[0] ?? ".");
  return hasErrors(findings) ? exitCodes.failure : exitCodes.fine;
};

function readFormat({ options, out }: Invocation): string {
  const format = options.text("format") ?? (out.json ? "json" : "text");
  if (out.json && format !== "json") throw usageError(`--json and --format ${format} exclude each other.`);
  return format;
}

function serverCheck({ options, api }: Invocation): AskServer | undefined {
  if (!options.flag("server")) return undefined;
  const server = api();
  return (definition) => validateAgent(server, definition);
}

function show({ out, io }: Invocation, format: string, findings: readonly Finding[], what: string): void {
  if (format === "json") out.document({ valid: !hasErrors(findings), issues: findings });
  else if (format === "sarif") out.document(sarifLog(findings, io.cwd, manifest.version));
  else if (format === "github") for (const finding of findings) out.line(githubCommand(finding));
  else showText(out, findings, what);
}

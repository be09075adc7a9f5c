import { Option } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { validateAgent } from "../../api/agents.ts";
import { type AskServer, checkFolder } from "../../definition/check-folder.ts";
import { type Finding, hasErrors } from "../../definition/findings.ts";
import { locate, repositoryRoot } from "../../definition/place.ts";
import { exitCodes, usageError } from "../../exit.ts";
import { githubCommand } from "../../formats/github.ts";
import { sarifLog } from "../../formats/sarif-log.ts";
import { textLines } from "../../formats/text.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";
import type { Output } from "../../output.ts";

const formats = ["text", "json", "sarif", "github"];

export const validate: AddCommand = (group, act) => {
  group
    .command("validate")
    .description("Check agent folders. No server is needed.")
    .argument("[folder...]", "Agent folders (default: the working directory)")
    .addOption(new Option("--format <format>", "Output format").choices(formats))
    .option("--server", "Also check on the server, which knows the other agents in the project")
    .addHelpText(
      "after",
      examples("muster agents validate agents/*", "muster agents validate --format sarif > muster.sarif"),
    )
    .action(act(handle));
};

/** The findings in one folder. */
interface Checked {
  /** The folder as given on the command line. */
  readonly folder: string;
  readonly findings: readonly Finding[];
}

const handle: Handler = async (invocation) => {
  const { args, io } = invocation;
  const format = readFormat(invocation);
  const base = format === "sarif" || format === "github" ? repositoryRoot(io) : io.cwd;
  const askServer = serverCheck(invocation);
  const checked: Checked[] = [];
  for (const folder of args.length === 0 ? ["."] : args) {
    const { findings } = await checkFolder(locate(io, folder, base), askServer);
    checked.push({ folder, findings });
  }
  show(invocation, format, checked, base);
  return checked.some(({ findings }) => hasErrors(findings)) ? exitCodes.failure : exitCodes.fine;
};

function readFormat({ options, out }: Invocation): string {
  const format = options.text("format") ?? (out.json ? "json" : "text");
  if (out.json && format !== "json") throw usageError(`--json and --format ${format} cannot be combined.`);
  return format;
}

function serverCheck({ options, api }: Invocation): AskServer | undefined {
  if (!options.flag("server")) return undefined;
  const server = api();
  return (definition) => validateAgent(server, definition);
}

function show({ out }: Invocation, format: string, checked: readonly Checked[], base: string): void {
  const all = checked.flatMap(({ findings }) => findings);
  if (format === "json") out.document({ valid: !hasErrors(all), issues: all });
  else if (format === "sarif") out.document(sarifLog(all, base, manifest.version));
  else if (format === "github") for (const finding of all) out.line(githubCommand(finding));
  else {
    const style: Output["style"] = (kind, text) => out.style(kind, text);
    for (const { folder, findings } of checked)
      for (const line of textLines(findings, folder, style)) out.line(line);
  }
}

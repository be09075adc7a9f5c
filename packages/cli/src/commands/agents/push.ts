import type { DefinitionSource } from "@muster/language";
import { filesOf } from "@muster/language/folder";
import { type Agent, findAgent } from "../../api/agents.ts";
import { confirm } from "../../confirm.ts";
import { checkFolder } from "../../definition/check-folder.ts";
import { type Difference, differencesOf, showDiffs } from "../../definition/differences.ts";
import { type Finding, hasErrors } from "../../definition/findings.ts";
import { locate } from "../../definition/place.ts";
import { storeDefinition } from "../../definition/store-definition.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { textLines } from "../../formats/text.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http/api.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { showTable } from "../../show-table.ts";

export const push: AddCommand = (group, act) => {
  group
    .command("push")
    .description("Create or update an agent on the server from a folder. Shows the changes first.")
    .argument("[folder]", "Agent folder (default: the working directory)")
    .option("--yes", "Skip the confirmation prompt")
    .option("--dry-run", "Show the changes without making them")
    .addHelpText(
      "after",
      examples("muster agents push agents/shop-help", "muster agents push agents/shop-help --dry-run"),
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const { definition, findings } = await checkFolder(locate(io, args[0]));
  if (definition === undefined || hasErrors(findings)) return refuse(invocation, findings);
  showWarnings(invocation, findings);
  const api = invocation.api();
  const { slug } = definition.settings;
  const agent = await findAgent(api, slug);
  const differences = differencesOf(agent?.definition, definition);
  if (agent !== undefined && differences.length === 0) {
    out.line(`Nothing to push: ${slug} is up to date at version ${agent.version}.`);
    return answer(invocation, { slug, action: "none", version: agent.version, differences });
  }
  if (agent === undefined) showFiles(out, definition);
  else showDiffs(out, differences);
  const action = agent === undefined ? "create" : "update";
  if (options.flag("dryRun")) {
    out.line(`Dry run: would ${action} ${slug}. Nothing was changed.`);
    return answer(invocation, { slug, action, version: agent?.version ?? null, dryRun: true, differences });
  }
  if (!options.flag("yes")) await confirm(io, out, question(slug, agent, api), "--yes");
  out.progress(`Sending ${slug} to ${api.url}`);
  const { version } = await storeDefinition(api, agent, definition, args[0] ?? ".");
  out.line(agent === undefined ? `Created ${slug}.` : `Updated ${slug} to version ${version}.`);
  return answer(invocation, { slug, action, version, differences });
};

/** A diff of a new agent would repeat all of its lines. */
function showFiles(out: Output, definition: DefinitionSource): void {
  const rows = filesOf(definition).map(({ path, text }) => [
    path,
    String(text.replace(/\n$/, "").split("\n").length),
  ]);
  showTable(out, [{ heading: "NEW FILE", shrinks: true }, { heading: "LINES" }], rows);
}

interface Report {
  slug: string;
  action: "none" | "create" | "update";
  /** The version on the server afterwards. */
  version: number | null;
  dryRun?: boolean;
  differences: readonly Difference[];
}

function answer({ out }: Invocation, { differences, ...report }: Report): ExitCode {
  if (out.json) out.document({ ...report, changes: differences });
  return exitCodes.fine;
}

/** Warnings do not stop a push. Notes are left to validate. */
function showWarnings(invocation: Invocation, findings: readonly Finding[]): void {
  const warnings = findings.filter(({ severity }) => severity === "warning");
  if (warnings.length > 0) showFindings(invocation, warnings);
}

function showFindings({ out, args }: Invocation, findings: readonly Finding[]): void {
  const style: Output["style"] = (kind, text) => out.noteStyle(kind, text);
  for (const line of textLines(findings, args[0] ?? ".", style)) out.note(line);
}

function refuse(invocation: Invocation, findings: readonly Finding[]): ExitCode {
  const { out } = invocation;
  showFindings(invocation, findings);
  if (out.json)
    out.document({ error: "The folder has errors.", code: "INVALID_DEFINITION", issues: findings });
  return exitCodes.failure;
}

function question(slug: string, agent: Agent | undefined, api: Api): string {
  return agent === undefined
    ? `Create ${slug} on ${api.url}?`
    : `Update ${slug} on ${api.url} from version ${agent.version}?`;
}

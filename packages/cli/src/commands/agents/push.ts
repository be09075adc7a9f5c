import type { DefinitionSource } from "@muster/protocol";
import { type Agent, createAgent, findAgent, updateAgent } from "../../api/agents.ts";
import { confirm } from "../../confirm.ts";
import { checkFolder } from "../../definition/check-folder.ts";
import { type Difference, differencesOf, showDiffs } from "../../definition/differences.ts";
import { type Finding, hasErrors } from "../../definition/findings.ts";
import { locate } from "../../definition/place.ts";
import { CliError, type ExitCode, exitCodes, failure } from "../../exit.ts";
import { summary, textLines } from "../../formats/text.ts";
import type { Api } from "../../http/api.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";
import type { Output } from "../../output.ts";

export const push: AddCommand = (group, act) => {
  group
    .command("push")
    .description("Makes the server's agent what a folder says, after showing what changes.")
    .argument("[folder]", "default: the working directory")
    .option("--yes", "do not ask")
    .option("--dry-run", "show what would change, and change nothing")
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const { definition, findings } = await checkFolder(locate(io, args[0]));
  if (definition === undefined || hasErrors(findings)) return refuse(invocation, findings);
  const api = invocation.api();
  const { slug } = definition.settings;
  const agent = await findAgent(api, slug);
  const differences = differencesOf(agent?.definition, definition);
  if (agent !== undefined && differences.length === 0) {
    out.line(`Nothing to do: ${slug} is the same on the server, at version ${agent.version}.`);
    return answer(invocation, { slug, action: "none", version: agent.version, differences });
  }
  showDiffs(out, differences);
  if (findings.some(({ severity }) => severity === "warning"))
    out.note(`${summary(findings)}; muster agents validate says more.`);
  const action = agent === undefined ? "create" : "update";
  if (options.flag("dryRun")) {
    out.line(`Would ${action} ${slug}. Nothing was changed.`);
    return answer(invocation, { slug, action, version: agent?.version ?? null, dryRun: true, differences });
  }
  if (!options.flag("yes")) await confirm(io, out, question(slug, agent, api), "--yes");
  const version = await apply(api, agent, definition);
  out.line(agent === undefined ? `Created ${slug}.` : `Updated ${slug} to version ${version}.`);
  return answer(invocation, { slug, action, version, differences });
};

interface Report {
  slug: string;
  action: "none" | "create" | "update";
  /** The server's version afterwards. */
  version: number | null;
  dryRun?: boolean;
  differences: readonly Difference[];
}

function answer({ out }: Invocation, { differences, ...report }: Report): ExitCode {
  if (out.json) out.document({ ...report, changes: differences });
  return exitCodes.fine;
}

function refuse({ out, args }: Invocation, findings: readonly Finding[]): ExitCode {
  const style: Output["style"] = (kind, text) => out.noteStyle(kind, text);
  for (const line of textLines(findings, args[0] ?? ".", style)) out.note(line);
  if (out.json)
    out.document({ error: "The folder has errors.", code: "INVALID_DEFINITION", issues: findings });
  return exitCodes.failure;
}

function question(slug: string, agent: Agent | undefined, api: Api): string {
  return agent === undefined
    ? `Create ${slug} on ${api.url}?`
    : `Update ${slug} on ${api.url} from version ${agent.version}?`;
}

async function apply(api: Api, agent: Agent | undefined, definition: DefinitionSource): Promise<number> {
  try {
    if (agent === undefined) return (await createAgent(api, definition)).version;
    return await updateAgent(api, agent, definition);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.code === "VERSION_MISMATCH" || error.code === "SLUG_TAKEN")
      throw changedMeanwhile(definition, agent);
    throw error;
  }
}

function changedMeanwhile({ settings: { slug } }: DefinitionSource, agent: Agent | undefined): CliError {
  const what =
    agent === undefined ? "was created" : `is no longer at version ${agent.version}: it was changed`;
  const advice = "Nothing was pushed. Look at muster agents diff, and push again.";
  return failure("CHANGED_ON_SERVER", `${slug} ${what} by somebody else since it was compared. ${advice}`);
}

import { checkWorkers, type Diagnostic, type Format, findOversize } from "@muster/language";
import { Reason } from "@muster/proto/errors";
import { firstProblems, type IssueInput, rpcError, shortPath } from "@muster/rpc";
import type { AgentsContext } from "../context.ts";
import { type DefinitionParts, type Draft, storedParts } from "./draft.ts";
import { findReachable } from "./find-reachable.ts";
import { isError, toIssues } from "./issues.ts";
import type { CheckReply } from "./messages.ts";

/** All findings about a definition. */
export interface Findings {
  issues: IssueInput[];
  /** True if none of the issues is an error. */
  valid: boolean;
  /** Slugs of the workers that it declares. */
  workers: string[];
}

/** On whose behalf a definition is checked, and until when. */
export interface CheckFor {
  projectId: string;
  signal: AbortSignal;
  /** The slugs of the project's MCP servers. Undefined: they are not known. */
  mcpServers: readonly string[] | undefined;
}

/** Throws TOO_LARGE for a definition beyond the limits, without compiling it. */
export async function diagnose(
  context: AgentsContext,
  { projectId, signal, mcpServers }: CheckFor,
  draft: Draft,
): Promise<Findings> {
  const oversize = findOversize(draft);
  if (oversize !== undefined) throw rpcError(Reason.TOO_LARGE, oversize.message, { issues: [oversize] });
  const { slug, format = likelyFormat(draft.protocol), ...settings } = draft.settings;
  const source = { ...draft, settings: { slug, format, ...settings } };
  const compiled = await context.checker.check(projectId, source, signal, mcpServers);
  const unreachable = await checkReachable(context, projectId, { slug, format }, compiled);
  const issues = toIssues([...checkFormat(draft), ...compiled.issues, ...unreachable]);
  const valid = issues.every(({ severity }) => severity !== "error");
  return { issues, valid, workers: compiled.workers.map((worker) => worker.slug) };
}

/** The findings, and the definition as it can be stored. Throws TOO_LARGE or INVALID_DEFINITION with all issues. */
export async function requireSound(
  context: AgentsContext,
  checkFor: CheckFor,
  draft: Draft,
): Promise<Findings & { definition: DefinitionParts }> {
  const findings = await diagnose(context, checkFor, draft);
  const definition = storedParts(draft);
  if (findings.valid && definition !== undefined) return { ...findings, definition };
  const { issues } = findings;
  throw rpcError(Reason.INVALID_DEFINITION, summaryOf(issues), { issues });
}

/** Names the first errors, because many clients show only this text. */
function summaryOf(issues: readonly IssueInput[]): string {
  const errors = issues.filter(isError);
  const sentences = errors.map(({ path, message }) =>
    path === "" ? message : `${shortPath(path)}: ${message}`,
  );
  return `The definition has ${errors.length === 1 ? "an error" : "errors"}. ${firstProblems(sentences)}`;
}

function checkFormat({ settings }: Draft): Diagnostic[] {
  if (settings.format !== undefined) return [];
  const message = "The format must be interactive or worker.";
  return [{ code: "ENUM_MISMATCH", path: "settings.format", message, severity: "error" }];
}

/** A definition without a format is refused; with this one the rest of it can still be checked. */
function likelyFormat(protocol: string): Format {
  return /^steps *:/m.test(protocol) ? "worker" : "interactive";
}

async function checkReachable(
  { agents }: AgentsContext,
  projectId: string,
  { slug, format }: { slug: string; format: Format },
  { workers }: CheckReply,
): Promise<readonly Diagnostic[]> {
  if (workers.length === 0) return [];
  const others = await findReachable(
    agents,
    projectId,
    workers.map((worker) => worker.slug),
  );
  return checkWorkers({ slug, format, workers }, (other) => others.get(other));
}

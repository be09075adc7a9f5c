/** When calls of tools wait for a user's decision: the rules of definitions and of owners. */
import { matchesPattern } from "./names/names.ts";
import type { ApprovalRule, McpServerSpec, Program } from "./program.ts";
import { renderTemplate } from "./prompts/template.ts";
import { type Effort, fits } from "./values/check-value.ts";
import { equalJson, type JsonObject, type JsonValue } from "./values/json.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** How long a call may wait for its decision. */
export const expiryLimits = { minMs: minuteMs, defaultMs: dayMs, maxMs: 30 * dayMs } as const;

/** The length of a title, before and after it is filled in. In UTF-16 units. */
export const maxTitleLength = 200;

/** The rule with this mode for all calls, with the defaults. */
export function ruleOf(mode: ApprovalRule["mode"]): ApprovalRule {
  return { mode, when: "always", expiresMs: expiryLimits.defaultMs, onExpiry: "deny" };
}

/**
 * Whether a call with these arguments is one that waits. If `when` is `untrusted`, the caller decides also whether the
 * conversation has read such text. Throws EffortExceededError if the effort is limited.
 */
export function asksFor({ mode, schema }: ApprovalRule, args: JsonObject, effort?: Effort): boolean {
  return mode === "ask" && (schema === undefined || fits(schema, args, effort));
}

/**
 * The title for the user who decides, on one line of at most 200 characters. The arguments are a model's: they can add
 * neither lines nor marks that change the direction of the text around them.
 */
export function approvalTitle({ title }: ApprovalRule, args: JsonObject): string | undefined {
  if (title === undefined) return undefined;
  const values = title.flatMap((part) =>
    part.kind === "value" ? [[part.name, shown(args, part.name)]] : [],
  );
  const text = renderTemplate(title, Object.fromEntries(values));
  return shortened(text.replaceAll(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ").trim());
}

/** An absent argument reads as NONE, like every declared name without a value. */
function shown(args: JsonObject, name: string): string | null {
  const value: JsonValue | undefined = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined || value === null) return null;
  return shortened(typeof value === "string" ? value : JSON.stringify(value));
}

function shortened(text: string): string {
  return text.length <= maxTitleLength ? text : `${text.slice(0, maxTitleLength - 1).toWellFormed()}…`;
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * A rule that is at least as strict as both. Of two that ask, it asks for every call for which one of them asks, and
 * has the title, expiry and its effect from the first.
 */
export function stricter(a: ApprovalRule, b: ApprovalRule): ApprovalRule {
  if (a.mode !== b.mode) return strictness[a.mode] > strictness[b.mode] ? a : b;
  if (a.mode !== "ask") return a;
  const { schema: _, ...first } = a;
  const schema = eitherOf(a.schema, b.schema);
  const title = a.title ?? b.title;
  return {
    ...first,
    when: b.when === "always" ? "always" : a.when,
    ...(schema !== undefined && { schema }),
    ...(title !== undefined && { title }),
  };
}

function eitherOf(a: JsonObject | undefined, b: JsonObject | undefined): JsonObject | undefined {
  if (a === undefined || b === undefined) return undefined;
  return equalJson(a, b) ? a : { anyOf: [a, b] };
}

/** A rule that is at least as strict as all of them; undefined without any. */
export function strictest(rules: ReadonlyArray<ApprovalRule | undefined>): ApprovalRule | undefined {
  return rules
    .filter((rule) => rule !== undefined)
    .reduce<ApprovalRule | undefined>((a, b) => (a === undefined ? b : stricter(a, b)), undefined);
}

/**
 * The rule of a program for a tool: one declared in `tools`, the slug of a worker or of a skill, or a server's tool
 * `namespace__tool`. Undefined: calls are allowed.
 */
export function approvalOf(program: Program, toolName: string): ApprovalRule | undefined {
  const { tools, workers, skills, mcpServers } = program;
  const end = toolName.indexOf("__");
  const server = end < 1 ? undefined : own(mcpServers, toolName.slice(0, end));
  if (server !== undefined) return ruleInServer(server, toolName.slice(end + 2));
  // A skill and a tool may have one name.
  const named = [own(tools, toolName), own(workers, toolName), own(skills, toolName)];
  return strictest(named.map((entry) => entry?.approval));
}

/** An exact name precedes patterns, and a longer pattern a shorter one. */
function ruleInServer({ approval, tools = {} }: McpServerSpec, name: string): ApprovalRule | undefined {
  const exact = own(tools, name);
  if (exact !== undefined) return exact.approval;
  const matching = Object.entries(tools).filter(([pattern]) => matchesPattern(pattern, name));
  const longest = Math.max(...matching.map(([pattern]) => pattern.length));
  const closest = matching.filter(([pattern]) => pattern.length === longest);
  return strictest(closest.map(([, rule]) => rule.approval)) ?? approval;
}

/**
 * The rule of an owner for a tool, by rules for names of tools, namespaces, and patterns in which `*` matches any text.
 * The strictest one that matches applies. Undefined: none matches.
 */
export function ownersRule(
  rules: Readonly<Record<string, "ask" | "deny">>,
  toolName: string,
): ApprovalRule | undefined {
  const matching = Object.entries(rules).filter(
    ([pattern]) => matchesPattern(pattern, toolName) || toolName.startsWith(`${pattern}__`),
  );
  return strictest(matching.map(([, mode]) => ruleOf(mode)));
}

function own<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

import type { JsonObject, JsonValue } from "@muster/language";
import { isPlainObject } from "@muster/language/json";
import { CliError, failure, usageError } from "../exit.ts";
import type { Api } from "../http/api.ts";
import { record, text } from "../read.ts";
import type { Field, Kind } from "./kinds.ts";
import { nameOfStep, partsOf, type Resource, type Step, type Stored, secretNameOf } from "./plan-steps.ts";

export interface ApplyOptions {
  readonly stored: readonly Stored[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called before each step. */
  readonly onStep: (step: Step) => void;
}

/**
 * Makes the changes in order, each only at the revision that was planned for. The first one that fails ends it; those
 * before it stay. Throws before the first change if an environment variable with a secret is missing.
 */
export async function applySteps(
  api: Api,
  steps: readonly Step[],
  { stored, env, onStep }: ApplyOptions,
): Promise<void> {
  const ids = new Map(stored.map(({ name, id }) => [name, id]));
  const idOf = (name: string) => ids.get(name) ?? name;
  const bodies = steps.map((step) => withSecrets(fieldsOf(step), env));
  const missing = bodies.flatMap(({ missing }) => missing);
  if (missing.length > 0) {
    const names = [...new Set(missing)].join(", ");
    throw usageError(
      `Nothing was changed, because environment variables with secrets are not set: ${names}.`,
    );
  }
  for (const [index, step] of steps.entries()) {
    onStep(step);
    const fields = bodies[index]?.fields ?? {};
    const id = await applyStep(api, step, fields, idOf).catch((error: unknown) =>
      Promise.reject(explained(error, step, index > 0)),
    );
    if (id !== undefined) ids.set(nameOfStep(step), id);
  }
}

/** The fields that the request contains, as in the file. */
function fieldsOf(step: Step): JsonObject {
  if (step.action === "delete") return {};
  const { kind, fields } = step.wanted;
  if (step.action === "create") return fields;
  const changed = step.changed.flatMap((name): Array<[string, JsonValue]> => {
    const field = kind.fields[name];
    const value = fields[name] ?? field?.default;
    if (field === undefined || value === undefined) return [];
    return [[name, field.resets ? withResets(field, value) : value]];
  });
  return Object.fromEntries(changed);
}

function withResets({ members = [] }: Field, value: JsonValue): JsonValue {
  return {
    ...Object.fromEntries(members.map((name) => [name, null])),
    ...(isPlainObject(value) ? value : {}),
  };
}

/** Returns the id of a created resource. */
async function applyStep(
  api: Api,
  step: Step,
  fields: JsonObject,
  idOf: (name: string) => string,
): Promise<string | undefined> {
  if (step.action === "create") {
    const { kind, name } = step.wanted;
    const own = { ...fields, [kind.name]: partsOf(name).at(-1) ?? "" };
    const body = { ...bodyOf(kind, own, idOf), managed: true };
    const reply = await api.request("POST", pathOf(step.wanted, idOf), { body });
    return text(record(reply.body), kind.section === "agents" ? "agentId" : kind.id);
  }
  const { kind, id, revision, isBehind = false } = step.stored;
  const path = `${pathOf(step.stored, idOf)}/${encodeURIComponent(id)}`;
  const headers = { "if-match": `"${revision}"` };
  if (step.action === "delete") await api.request("DELETE", path, { headers });
  else {
    const body = {
      ...bodyOf(kind, fields, idOf),
      ...(kind.section !== "project" && { managed: true }),
      ...(isBehind && { version: "latest" }),
    };
    await api.request("PATCH", path, { body, headers });
  }
  return undefined;
}

function bodyOf(kind: Kind, fields: JsonObject, idOf: (name: string) => string): JsonObject {
  return kind.toBody?.(fields, idOf) ?? fields;
}

function pathOf({ kind, name }: Resource, idOf: (name: string) => string): string {
  return kind.path(encodeURIComponent(idOf(name.split("/").slice(0, 2).join("/"))));
}

function withSecrets(
  value: JsonObject,
  env: ApplyOptions["env"],
): { fields: JsonObject; missing: readonly string[] } {
  const missing: string[] = [];
  const filled = (part: JsonValue): JsonValue => {
    const variable = secretNameOf(part);
    if (variable !== undefined) {
      const secret = env[variable];
      if (!secret) missing.push(variable);
      return secret ?? "";
    }
    if (Array.isArray(part)) return part.map(filled);
    if (!isPlainObject(part)) return part;
    return Object.fromEntries(Object.entries(part as JsonObject).map(([name, item]) => [name, filled(item)]));
  };
  const fields = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item)]));
  return { fields, missing };
}

function explained(error: unknown, step: Step, isLater: boolean): unknown {
  if (!(error instanceof CliError)) return error;
  const before = isLater ? "The changes before it were made." : "Nothing was changed.";
  const next = `${before} Remove the cause, and apply again to make the remaining changes.`;
  if (error.code === "VERSION_MISMATCH" || error.code === "SLUG_TAKEN")
    return failure(
      "CHANGED_ON_SERVER",
      `Someone else has changed ${nameOfStep(step)} in the meantime. ${next}`,
    );
  const { requestId, status, issues, hint } = error;
  const details = { requestId, status, issues, hint };
  return new CliError(error.exitCode, error.code, `${nameOfStep(step)}: ${error.message} ${next}`, details);
}

import { compileTemplate, type JsonObject, parseJsonObject, schemaProblem } from "@muster/language";
import type { CreateHookRequest, UpdateHookRequest, Verification } from "@muster/proto/hooks";
import { Issues } from "@muster/rpc";
import { type HookDocument, type VerificationType, verificationTypes } from "../store/hook-document.ts";
import type { HookChanges } from "../store/hook-store.ts";
import { oneOf, readRunConfig } from "./run-config.ts";
import { checkSlug } from "./slug.ts";
import { checkName, checkStorable } from "./texts.ts";

const maxTemplateLength = 16_384;
const maxThreadKeyLength = 1_000;
const maxFilterLength = 4_096;
/** Those that GitHub shows as an example and that Slack generates are longer. */
const secretForm = /^[ -~]{16,256}$/;
const standardSecretForm = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** The secret in clear text. */
export interface GivenVerification {
  type: VerificationType;
  secret: string;
}

type Settings = Pick<
  HookDocument,
  "name" | "filter" | "message" | "threadKey" | "config" | "enabled" | "managed"
>;

export interface ReadHook {
  slug: string | undefined;
  verify: GivenVerification;
  settings: Settings;
}

/** Throws INVALID_REQUEST with all issues. */
export function readHook(request: CreateHookRequest): ReadHook {
  const issues = new Issues();
  const { slug, name, message, threadKey = "", filterJson = "", enabled = true, managed } = request;
  checkSlug(issues, slug);
  checkName(issues, "name", name);
  const verify = readVerification(issues, request.verify);
  const filter = readFilter(issues, filterJson);
  checkMessageTemplate(issues, message);
  checkThreadKey(issues, threadKey);
  const config = readRunConfig(issues, "config", request.config);
  issues.refuse();
  return {
    ...{ slug, verify },
    settings: {
      ...{ name, message, config, enabled },
      ...(filter && { filter }),
      ...(threadKey !== "" && { threadKey }),
      ...(managed && { managed }),
    },
  };
}

/** Throws INVALID_REQUEST with all issues. `verify`: a new secret. */
export function readHookChanges(request: UpdateHookRequest): {
  changes: HookChanges;
  verify: GivenVerification | undefined;
} {
  const issues = new Issues();
  const { name, message, threadKey, filterJson, config, enabled, managed } = request;
  if (name !== undefined) checkName(issues, "name", name);
  const verify = request.verify && readVerification(issues, request.verify);
  const filter = filterJson === undefined ? undefined : (readFilter(issues, filterJson) ?? null);
  if (message !== undefined) checkMessageTemplate(issues, message);
  checkThreadKey(issues, threadKey ?? "");
  const changes = {
    ...(name !== undefined && { name }),
    ...(filter !== undefined && { filter }),
    ...(message !== undefined && { message }),
    ...(threadKey !== undefined && { threadKey: threadKey || null }),
    ...(config && { config: readRunConfig(issues, "config", config) }),
    ...(enabled !== undefined && { enabled }),
    ...(managed !== undefined && { managed }),
  };
  issues.refuse();
  return { changes, verify };
}

function readVerification(issues: Issues, given: Verification | undefined): GivenVerification {
  const { type: text = "", secret = "" } = given ?? {};
  const type = oneOf(issues, "verify.type", text, verificationTypes);
  if (type === "standard-webhooks") {
    if (!standardSecretForm.test(secret))
      issues.add("verify.secret", "must be whsec_ and 24 to 64 bytes in base64");
  } else if (!secretForm.test(secret)) {
    issues.add("verify.secret", "must be 16 to 256 printable ASCII characters");
  }
  return { type, secret };
}

/** Undefined: there is none. */
function readFilter(issues: Issues, text: string): JsonObject | undefined {
  if (text === "") return undefined;
  if (text.length > maxFilterLength) {
    issues.add("filter", `must have at most ${maxFilterLength} characters as JSON`);
    return undefined;
  }
  const parsed = parseJsonObject(text);
  const problem = parsed.ok ? schemaProblem(parsed.value) : parsed.problem;
  if (problem !== undefined) issues.add("filter", problem);
  return parsed.ok ? parsed.value : undefined;
}

function checkMessageTemplate(issues: Issues, template: string): void {
  if (template.trim() === "") issues.add("message", "is required");
  checkTemplate(issues, "message", template, maxTemplateLength);
}

function checkThreadKey(issues: Issues, template: string): void {
  checkTemplate(issues, "threadKey", template, maxThreadKeyLength);
}

function checkTemplate(issues: Issues, path: string, template: string, max: number): void {
  issues.checkLength(path, template, { max });
  if (template.length > max) return;
  checkStorable(issues, path, template);
  const compiled = compileTemplate(template);
  if ("problem" in compiled) issues.add(path, `cannot be used: ${compiled.problem.replace(/\.$/, "")}`);
}

import { createHmac, timingSafeEqual } from "node:crypto";
import type { ConnectError } from "@connectrpc/connect";
import type { Clock, Secret } from "@muster/service";
import { Reason, rpcError } from "./errors.ts";
import type { Issues } from "./issues.ts";

/** All permissions that a credential can have. */
export const permissions = ["sessions", "agents", "mint-tokens", "workforce", "approve", "admin"] as const;
export type Permission = (typeof permissions)[number];

/** False for a permission that only a newer peer knows: it grants nothing here. */
export function isPermission(text: string): text is Permission {
  return permissions.some((permission) => permission === text);
}

/** The caller on whose behalf a call is made. */
export interface CallPrincipal {
  readonly projectId: string;
  /** The caller's key; for a token, the key that minted it. */
  readonly keyId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** May act in any project. */
  readonly anyProject: boolean;
  /** Restricts the caller to one agent. */
  readonly agentId?: string;
  /** Restricts the caller to one session. */
  readonly sessionId?: string;
  /** Restricts the caller to connecting one computer: it has no permission. */
  readonly computerId?: string;
  /** How often the key's secret had been replaced when the caller was authenticated. Absent: never. */
  readonly keyGeneration?: number;
  /** Set if the caller uses an ephemeral token, which drives sessions and manages nothing. */
  readonly tokenId?: string;
  /** Set if the caller uses a login, which may do what its key may. */
  readonly loginId?: string;
  /** The most that each of the caller's executions may cost, a decimal number of dollars. Absent: no limit. */
  readonly maxUsd?: string;
  /** Restricts a token to the sessions and executions of one subject, often a user of the application. */
  readonly subject?: string;
}

/**
 * Whether the caller has a permission. `admin` implies all of them, unless the caller is limited to an agent or a
 * session: such a caller administers nothing. A computer has none.
 */
export function hasPermission(caller: CallPrincipal, permission: Permission): boolean {
  const { agentId, sessionId, tokenId, computerId, permissions: granted } = caller;
  if (computerId !== undefined) return false;
  const isLimited = agentId !== undefined || sessionId !== undefined || tokenId !== undefined;
  return granted.has(permission) || (granted.has("admin") && !isLimited);
}

const maxSubjectLength = 256;
const controlCharacter = /\p{Cc}/u;

/** Whether a text can name the subject of sessions and executions. */
export function isSubject(text: string): boolean {
  return text.trim() !== "" && text.length <= maxSubjectLength && !controlCharacter.test(text);
}

/** Adds an issue at `subject` if it names none. */
export function checkSubject(issues: Issues, subject: string | undefined): void {
  if (subject !== undefined && !isSubject(subject))
    issues.add("subject", `must be 1-${maxSubjectLength} characters without control characters`);
}

/**
 * The subject of a new session or execution. Throws FORBIDDEN for a token that names another than its own: that would be
 * another user's limit and memory.
 */
export function subjectFor(
  { tokenId, subject: own }: Pick<CallPrincipal, "tokenId" | "subject">,
  given: string | undefined,
): string | undefined {
  if (tokenId !== undefined && given !== undefined && given !== own)
    throw rpcError(
      Reason.FORBIDDEN,
      "A token cannot choose the subject. Mint it for the subject, or leave subject out.",
    );
  return own ?? given;
}

/**
 * The platform itself, for calls on behalf of no principal: it belongs to no project and may do nothing that needs a
 * permission. No key has an empty id.
 */
export const platformPrincipal: CallPrincipal = {
  projectId: "",
  keyId: "",
  permissions: new Set(),
  anyProject: false,
};

/** Whether a call comes from the platform itself. */
export function isPlatform({ keyId, projectId }: CallPrincipal): boolean {
  return keyId === "" && projectId === "";
}

/** No key has this id. */
const sessionsKeyId = "sessions";

/**
 * The sessions service, reading the workers that an agent of the project names: who may run the agent runs them with
 * it, even if a credential reaches no other agent. Sign it again for each call.
 */
export function sessionsPrincipal(projectId: string): CallPrincipal {
  return {
    projectId,
    keyId: sessionsKeyId,
    permissions: new Set<Permission>(["sessions"]),
    anyProject: false,
  };
}

/** The key id of the workforce service. Ids of keys begin with `key_`, so no key has it. */
const workforceKeyId = "workforce";

/**
 * The workforce service, acting for a project: runs live for hours and have no caller whose principal would last. Sign
 * it again for each call.
 */
export function workforcePrincipal(projectId: string): CallPrincipal {
  return {
    projectId,
    keyId: workforceKeyId,
    permissions: new Set<Permission>(["sessions", "agents", "admin", "workforce"]),
    anyProject: false,
  };
}

/** Whether a call comes from the workforce service. */
export function isWorkforce({ keyId, projectId, tokenId, sessionId }: CallPrincipal): boolean {
  return keyId === workforceKeyId && projectId !== "" && tokenId === undefined && sessionId === undefined;
}

/** How long a signed principal is accepted. */
export const principalLifetimeMs = 60_000;
const version = "p1";
const maxTextLength = 4096;
const maxCached = 1000;

/**
 * Signs principals for the services behind the edge with the first secret: `p1.<payload>.<HMAC-SHA256>`, valid for 60 s.
 * Caches nothing; sign at most once per request.
 */
export function createPrincipalSigner(
  secrets: readonly Secret[],
  clock: Clock,
): { sign(p: CallPrincipal): string } {
  const [key] = keysOf(secrets);
  return {
    sign(principal) {
      const payload = Buffer.from(
        JSON.stringify([
          clock.now(),
          principal.projectId,
          principal.keyId,
          [...principal.permissions].join(" "),
          principal.anyProject,
          principal.agentId ?? null,
          principal.sessionId ?? null,
          principal.tokenId ?? null,
          principal.keyGeneration ?? null,
          principal.computerId ?? null,
          principal.maxUsd ?? null,
          principal.subject ?? null,
          principal.loginId ?? null,
        ]),
      ).toString("base64url");
      return `${version}.${payload}.${signature(key, payload).toString("base64url")}`;
    },
  };
}

/**
 * Verifies a principal signed with any of the secrets. Throws PRINCIPAL_EXPIRED if it is not valid now, and
 * PRINCIPAL_REFUSED, with the same message for every cause, for everything else.
 * Once accepted, a text costs only a lookup, not an HMAC, until it expires.
 */
export function createPrincipalVerifier(
  secrets: readonly Secret[],
  clock: Clock,
): { verify(text: string): CallPrincipal } {
  const keys = keysOf(secrets);
  const cache = new Map<string, Signed>();
  return {
    verify(text) {
      const signed = cache.get(text) ?? readSigned(keys, text);
      if (signed === undefined) throw principalRefused();
      if (!isCurrent(signed, clock.now())) {
        cache.delete(text);
        throw principalExpired();
      }
      remember(cache, text, signed);
      return signed.principal;
    },
  };
}

export type PrincipalVerifier = ReturnType<typeof createPrincipalVerifier>;

/** Clients read it: the signature is the platform's, so no credential of theirs helps. */
function principalRefused(): ConnectError {
  return rpcError(
    Reason.PRINCIPAL_REFUSED,
    "The parts of the platform do not accept each other's calls. Your credential is not the cause: ask the operator to give all processes the same MUSTER_PRINCIPAL_SECRET.",
    { retryAfterMs: 10_000 },
  );
}

function principalExpired(): ConnectError {
  return rpcError(
    Reason.PRINCIPAL_EXPIRED,
    "A call between parts of the platform took too long, or their clocks differ. Try again; if it fails again, ask the operator to compare the clocks of the machines.",
    { retryAfterMs: 1_000 },
  );
}

interface Signed {
  issuedAtMs: number;
  principal: CallPrincipal;
}

function keysOf(secrets: readonly Secret[]): [string, ...string[]] {
  const [first, ...others] = secrets.map((secret) => secret.reveal());
  if (first === undefined) throw new Error("There is no secret that signs principals");
  if (first === "" || others.includes("")) throw new Error("A secret that signs principals is empty");
  return [first, ...others];
}

function signature(key: string, payload: string): Buffer {
  return createHmac("sha256", key).update(`muster-principal.${version}.${payload}`).digest();
}

/** Clocks differ between machines, so a principal from the near future is accepted. */
function isCurrent(signed: Signed, nowMs: number): boolean {
  const ageMs = nowMs - signed.issuedAtMs;
  return ageMs < principalLifetimeMs && ageMs > -principalLifetimeMs;
}

/** Insertion order is age: the first one signed expires first. */
function remember(cache: Map<string, Signed>, text: string, signed: Signed): void {
  if (cache.has(text)) return;
  if (cache.size >= maxCached) {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(text, signed);
}

function readSigned(keys: readonly string[], text: string): Signed | undefined {
  if (text.length > maxTextLength) return undefined;
  const [prefix, payload, given, ...rest] = text.split(".");
  if (prefix !== version || payload === undefined || given === undefined || rest.length > 0) return undefined;
  const actual = Buffer.from(given, "base64url");
  if (!keys.some((key) => isSignature(actual, signature(key, payload)))) return undefined;
  return readPayload(Buffer.from(payload, "base64url").toString());
}

function isSignature(actual: Buffer, expected: Buffer): boolean {
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function readPayload(json: string): Signed | undefined {
  const fields: unknown = JSON.parse(json);
  if (!Array.isArray(fields)) return undefined;
  const [issuedAtMs, projectId, keyId, permissionList, anyProject, ...limits]: unknown[] = fields;
  const [agentId, sessionId, tokenId, keyGeneration, computerId, maxUsd, subject, loginId] = limits;
  if (typeof issuedAtMs !== "number" || typeof projectId !== "string" || typeof keyId !== "string") {
    return undefined;
  }
  if (typeof permissionList !== "string" || typeof anyProject !== "boolean") return undefined;
  const principal: CallPrincipal = {
    projectId,
    keyId,
    permissions: new Set(permissionList.split(" ").filter(isPermission)),
    anyProject,
    ...(typeof agentId === "string" ? { agentId } : {}),
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(typeof tokenId === "string" ? { tokenId } : {}),
    ...(typeof keyGeneration === "number" ? { keyGeneration } : {}),
    ...(typeof computerId === "string" ? { computerId } : {}),
    ...(typeof maxUsd === "string" ? { maxUsd } : {}),
    ...(typeof subject === "string" ? { subject } : {}),
    ...(typeof loginId === "string" ? { loginId } : {}),
  };
  return { issuedAtMs, principal };
}

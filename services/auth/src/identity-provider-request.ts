import type {
  ClaimCondition as ConditionMessage,
  CreateIdentityProviderRequest,
  FederatedScope as ScopeMessage,
  UpdateIdentityProviderRequest,
} from "@muster/proto/auth";
import { Issues } from "@muster/rpc";
import {
  type Algorithm,
  algorithms,
  defaultAlgorithms,
  isAlgorithm,
  lifetimeS,
  maxClaimName,
  maxConditionLength,
  maxConditions,
  maxConditionValues,
  maxUrlLength,
} from "./federation/limits.ts";
import { checkId, checkName } from "./fields.ts";
import type {
  ClaimCondition,
  FederatedScope,
  IdentityProviderChanges,
  IdentityProviderDocument,
} from "./store/identity-providers.ts";

/** Throws for a URL that would never be fetched. */
type CheckUrl = (text: string) => URL;

export type IdentityProviderRequest = Pick<
  IdentityProviderDocument,
  "name" | "issuer" | "jwksUri" | "algorithms" | "maxLifetimeS" | "conditions" | "scope" | "managed"
>;

/** Throws INVALID_REQUEST with all issues. */
export function parseIdentityProvider(
  request: CreateIdentityProviderRequest,
  checkUrl: CheckUrl,
): IdentityProviderRequest {
  const issues = new Issues();
  const { name, issuer, jwksUri, maxLifetimeSeconds = lifetimeS.default } = request;
  checkName(issues, name);
  if (jwksUri === undefined) checkDiscoveryIssuer(issues, issuer, checkUrl);
  else checkIssuer(issues, issuer);
  if (jwksUri !== undefined) checkFetched(issues, "jwksUri", jwksUri, checkUrl);
  checkLifetime(issues, maxLifetimeSeconds);
  const algorithmNames = readAlgorithms(issues, request.algorithms);
  const conditions = readConditions(issues, request.conditions);
  const scope = readScope(issues, request.scope);
  issues.refuse();
  return {
    ...{ name, issuer, conditions, scope, maxLifetimeS: maxLifetimeSeconds },
    algorithms: algorithmNames.length === 0 ? [...defaultAlgorithms] : algorithmNames,
    ...(jwksUri === undefined ? {} : { jwksUri }),
    ...(request.managed && { managed: true }),
  };
}

/** Throws INVALID_REQUEST with all issues. `issuer`: of the provider, which never changes. */
export function parseIdentityProviderChanges(
  request: UpdateIdentityProviderRequest,
  issuer: string,
  checkUrl: CheckUrl,
): IdentityProviderChanges {
  const issues = new Issues();
  const { name, jwksUri, maxLifetimeSeconds } = request;
  if (name !== undefined) checkName(issues, name);
  if (jwksUri) checkFetched(issues, "jwksUri", jwksUri, checkUrl);
  if (jwksUri === "" && !isFetched(issuer, checkUrl))
    issues.add(
      "jwksUri",
      "cannot be removed, because the issuer is not a URL from which Muster can fetch the keys",
    );
  if (maxLifetimeSeconds !== undefined) checkLifetime(issues, maxLifetimeSeconds);
  const algorithmNames = readAlgorithms(issues, request.algorithms);
  const conditions = request.conditions.length === 0 ? undefined : readConditions(issues, request.conditions);
  const scope = request.scope === undefined ? undefined : readScope(issues, request.scope);
  issues.refuse();
  return {
    ...(name === undefined ? {} : { name }),
    ...(jwksUri === undefined ? {} : { jwksUri: jwksUri || null }),
    ...(algorithmNames.length === 0 ? {} : { algorithms: algorithmNames }),
    ...(maxLifetimeSeconds === undefined ? {} : { maxLifetimeS: maxLifetimeSeconds }),
    ...(conditions === undefined ? {} : { conditions }),
    ...(scope === undefined ? {} : { scope }),
    ...(request.managed === undefined ? {} : { managed: request.managed }),
  };
}

const printable = /^[\x21-\x7e]+$/;

function checkIssuer(issues: Issues, issuer: string): boolean {
  const isText = printable.test(issuer) && issuer.length <= maxUrlLength;
  if (!isText) issues.add("issuer", `must be 1-${maxUrlLength} printable ASCII characters without spaces`);
  return isText;
}

function checkDiscoveryIssuer(issues: Issues, issuer: string, checkUrl: CheckUrl): void {
  if (!checkIssuer(issues, issuer)) return;
  if (checkFetched(issues, "issuer", issuer, checkUrl) && /[?#]/.test(issuer))
    issues.add("issuer", "must have no query or fragment");
}

function checkFetched(issues: Issues, path: string, text: string, checkUrl: CheckUrl): boolean {
  const isGood = printable.test(text) && text.length <= maxUrlLength && isFetched(text, checkUrl);
  if (!isGood)
    issues.add(
      path,
      `must be an https URL with a public host, no user name and at most ${maxUrlLength} characters; the operator can allow private hosts with FEDERATION_PRIVATE_ORIGINS`,
    );
  return isGood;
}

function isFetched(text: string, checkUrl: CheckUrl): boolean {
  try {
    checkUrl(text);
    return true;
  } catch {
    return false;
  }
}

function checkLifetime(issues: Issues, seconds: number): void {
  const { min, max } = lifetimeS;
  if (seconds < min || seconds > max) issues.add("maxLifetimeSeconds", `must be ${min}-${max}`);
}

function readAlgorithms(issues: Issues, names: readonly string[]): Algorithm[] {
  for (const [index, name] of names.entries()) {
    if (!isAlgorithm(name)) issues.add(`algorithms.${index}`, `must be one of ${algorithms.join(", ")}`);
  }
  return [...new Set(names.filter(isAlgorithm))];
}

function readConditions(issues: Issues, messages: readonly ConditionMessage[]): ClaimCondition[] {
  if (messages.length === 0 || messages.length > maxConditions)
    issues.add(
      "conditions",
      `must be 1-${maxConditions} conditions; without any, every token of the issuer would be accepted`,
    );
  const claims = messages.map(({ claim }) => claim);
  return messages.slice(0, maxConditions).map((message, index) => {
    const path = `conditions.${index}`;
    if (claims.indexOf(message.claim) !== index)
      issues.add(`${path}.claim`, "must not repeat the claim of another condition");
    return readCondition(new Issues(issues, path), message);
  });
}

function readCondition(issues: Issues, { claim, equals, startsWith }: ConditionMessage): ClaimCondition {
  checkClaimName(issues, "claim", claim);
  if (equals.length > 0 === (startsWith !== undefined))
    issues.add("equals", "must be given, or startsWith, but not both");
  if (equals.length > maxConditionValues)
    issues.add("equals", `must have at most ${maxConditionValues} values`);
  for (const [index, value] of equals.slice(0, maxConditionValues).entries())
    issues.checkLength(`equals.${index}`, value, { min: 1, max: maxConditionLength });
  if (startsWith === undefined) return { claim, equals: [...new Set(equals)] };
  issues.checkLength("startsWith", startsWith, { min: 1, max: maxConditionLength });
  return { claim, startsWith };
}

function checkClaimName(issues: Issues, path: string, claim: string): void {
  issues.checkLength(path, claim, { min: 1, max: maxClaimName });
}

function readScope(parent: Issues, message: ScopeMessage | undefined): FederatedScope {
  const issues = new Issues(parent, "scope");
  const agent = sourceOf(issues, message?.agent, { id: "agentId", claim: "agentClaim" });
  const session = sourceOf(issues, message?.session, { id: "sessionId", claim: "sessionClaim" });
  const subjectClaim = message?.subjectClaim;
  if (subjectClaim !== undefined) checkClaimName(issues, "subjectClaim", subjectClaim);
  if (agent === undefined) issues.add("agentId", "must be given, or agentClaim");
  if (session !== undefined && "id" in session && agent !== undefined && "claim" in agent)
    issues.add("sessionId", "must be given together with agentId");
  return {
    agent: agent ?? { id: "" },
    ...(session === undefined ? {} : { session }),
    ...(subjectClaim === undefined ? {} : { subjectClaim }),
  };
}

function sourceOf(
  issues: Issues,
  source: { case?: string | undefined; value?: string | undefined } | undefined,
  names: { id: string; claim: string },
): { id: string } | { claim: string } | undefined {
  if (source?.case === undefined || source.value === undefined) return undefined;
  if (source.case === names.id) {
    checkId(issues, names.id, source.value);
    return { id: source.value };
  }
  checkClaimName(issues, names.claim, source.value);
  return { claim: source.value };
}

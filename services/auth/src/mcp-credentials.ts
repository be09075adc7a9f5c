import { createPrivateKey, type KeyObject } from "node:crypto";
import type { McpAuth as McpAuthMessage } from "@muster/proto/auth";
import { Issues } from "@muster/rpc";
import { type Algorithm, algorithms, maxUrlLength } from "./federation/limits.ts";
import { checkPrintable, checkValue, checkWebUrl } from "./fields.ts";
import type { McpAuth, McpClient } from "./store/mcp-servers.ts";

const maxHeaderName = 100;
const maxClientId = 500;
const maxScope = 1_000;
const maxPemLength = 10_000;

/** How the platform authenticates. The secret is undefined for `none`. */
export interface McpCredentials {
  auth: McpAuth;
  secret: string | undefined;
}

/** Reports everything that is wrong below `auth`. */
export function readCredentials(
  parent: Issues,
  { type }: Pick<McpAuthMessage, "type"> = { type: none },
): McpCredentials {
  const issues = new Issues(parent, "auth");
  switch (type.case) {
    case undefined:
      return { auth: { type: "none" }, secret: undefined };
    case "bearer":
      checkPrintable(issues, "token", type.value.token);
      return { auth: { type: "bearer" }, secret: type.value.token };
    case "header": {
      const { name, value } = type.value;
      // A header can have any name but those that `bearer` and the protocol use.
      checkHeaderName(issues, "name", name);
      checkValue(issues, "value", value);
      return { auth: { type: "header", name }, secret: value };
    }
    case "clientCredentials": {
      const { clientSecret } = type.value;
      checkValue(issues, "clientSecret", clientSecret);
      return {
        auth: { type: "client-credentials", ...readClient(issues, type.value) },
        secret: clientSecret,
      };
    }
    case "privateKeyJwt": {
      const { privateKey } = type.value;
      const algorithm = readKey(issues, privateKey, type.value.algorithm);
      const auth = { type: "private-key-jwt" as const, algorithm, ...readClient(issues, type.value) };
      return { auth, secret: privateKey };
    }
  }
}

const none = { case: undefined };

type ClientMessage = { [Name in keyof McpClient]: McpClient[Name] | undefined } & { clientId: string };

function readClient(issues: Issues, { clientId, issuer, scope }: ClientMessage): McpClient {
  checkValue(issues, "clientId", clientId, maxClientId);
  if (issuer !== undefined) checkWebUrl(issues, "issuer", issuer, maxUrlLength);
  if (scope !== undefined) checkValue(issues, "scope", scope, maxScope);
  return { clientId, ...(issuer !== undefined && { issuer }), ...(scope !== undefined && { scope }) };
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Set by the client for each request: another value would break the protocol, or send a request elsewhere. */
const ofClient = new Set([
  ...[
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
  ],
  ...[
    "expect",
    "host",
    "keep-alive",
    "last-event-id",
    "origin",
    "proxy-authorization",
    "proxy-connection",
    "te",
  ],
  ...["trailer", "transfer-encoding", "upgrade", "via"],
]);

/** The name of a header that users may set. `Authorization` belongs to the types that are made for it. */
export function checkHeaderName(issues: Issues, path: string, name: string): void {
  const lower = name.toLowerCase();
  if (!token.test(name) || name.length > maxHeaderName)
    issues.add(path, `must be the name of a header, at most ${maxHeaderName} characters long`);
  else if (ofClient.has(lower) || lower.startsWith("mcp-"))
    issues.add(path, "must be another header, because the platform sets this one itself");
}

/** The algorithms that fit a key, the usual one first. */
function algorithmsFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly Algorithm[] {
  if (asymmetricKeyType === "ed25519") return ["EdDSA"];
  if (asymmetricKeyType === "rsa") return algorithms.filter((name) => /^[RP]S/.test(name));
  const { namedCurve = "" } = asymmetricKeyDetails ?? {};
  return asymmetricKeyType === "ec" ? (ofCurve[namedCurve] ?? []) : [];
}

const ofCurve: Partial<Record<string, readonly Algorithm[]>> = {
  prime256v1: ["ES256"],
  secp384r1: ["ES384"],
  secp521r1: ["ES512"],
};

/** The named algorithm, or the usual one for the key. */
function readKey(issues: Issues, pem: string, wanted: string): string {
  const fitting = parseKey(pem);
  const [usual = ""] = fitting;
  if (usual === "") {
    const kinds = "an RSA key of at least 2,048 bits, an EC key (P-256, P-384 or P-521) or an Ed25519 key";
    issues.add("privateKey", `must be ${kinds} in PEM (PKCS 8, "BEGIN PRIVATE KEY"), not encrypted`);
  } else if (wanted !== "" && !fitting.some((name) => name === wanted))
    issues.add("algorithm", `must fit the key: ${fitting.join(", ")}`);
  return wanted || usual;
}

const minRsaBits = 2_048;

function parseKey(pem: string): readonly Algorithm[] {
  if (pem.length > maxPemLength || !pem.includes("-----BEGIN PRIVATE KEY-----")) return [];
  try {
    const key = createPrivateKey({ key: pem, format: "pem" });
    const { modulusLength = minRsaBits } = key.asymmetricKeyDetails ?? {};
    return modulusLength < minRsaBits ? [] : algorithmsFor(key);
  } catch {
    return [];
  }
}

import { CliError } from "../exit.ts";
import type { Api } from "../http/api.ts";
import type { Invocation } from "../invocation.ts";
import { optionalText, record, records, text, texts } from "../read.ts";
import { attempt } from "./server.ts";
import type { Check } from "./show-checks.ts";

/** Checks the key or token in MUSTER_API_KEY and shows its permissions. */
export async function checkKey({ api }: Invocation): Promise<Check> {
  const reply = await attempt(async () => (await api().request("GET", "/api/credential")).body);
  // Only tokens may not read what they are; a credential that is not valid is 401.
  if (reply instanceof CliError && reply.status === 403) {
    return { name: "key", status: "ok", message: "a valid token, which can only use sessions" };
  }
  if (reply instanceof CliError) return { name: "key", status: "failed", message: reply.message };
  const credential = record(reply);
  const permissions = texts(credential, "permissions").join(", ");
  const scope = [
    credential.anyProject === true
      ? `in any project (currently ${text(credential, "projectId")})`
      : `in project ${text(credential, "projectId")}`,
    ...(["agentId", "sessionId"] as const).flatMap((key) => {
      const id = optionalText(credential, key);
      return id === undefined ? [] : [`for ${id} only`];
    }),
  ];
  return {
    name: "key",
    status: "ok",
    message:
      permissions === ""
        ? `no permissions ${scope.join(", ")}`
        : `permissions ${permissions} ${scope.join(", ")}`,
  };
}

/** The server's latest check of its model providers. */
export async function checkProviders(api: Api): Promise<Check[]> {
  const reply = await attempt(async () => (await api.request("GET", "/api/providers")).body);
  if (reply instanceof CliError) {
    // A key without the permission says nothing about the providers.
    const status = reply.status === 403 ? "off" : "failed";
    return [{ name: "providers", status, message: reply.message }];
  }
  return records(record(reply), "providers").map(providerCheck);
}

const statuses = new Map<string, Check["status"]>([
  ["ok", "ok"],
  ["not_configured", "off"],
]);

function providerCheck(provider: Record<string, unknown>): Check {
  const state = text(provider, "status");
  const message =
    optionalText(provider, "message") ?? (state === "ok" ? "available" : state.replaceAll("_", " "));
  return { name: `provider ${text(provider, "name")}`, status: statuses.get(state) ?? "failed", message };
}

import type { Api } from "../http/api.ts";
import { optionalText, records, text } from "../read.ts";

type Json = Readonly<Record<string, unknown>>;

const computersPath = "/api/admin/computers";

/** A computer that dials in. */
export type ConnectedComputer = ReturnType<typeof computerOf>;

/** Newest first, from all pages. */
export async function listComputers(api: Api) {
  const computers: ConnectedComputer[] = [];
  let cursor: string | undefined;
  do {
    const body = await api.read("GET", computersPath, { query: { limit: "100", cursor } });
    computers.push(...records(body, "computers").map(computerOf));
    cursor = optionalText(body, "nextCursor");
  } while (cursor !== undefined);
  return computers;
}

export async function createComputer(api: Api, request: Json): Promise<ConnectedComputer> {
  return computerOf(await api.read("POST", computersPath, { body: request }));
}

export async function deleteComputer(api: Api, id: string): Promise<void> {
  await api.request("DELETE", `${computersPath}/${encodeURIComponent(id)}`);
}

/** The tokens of a shared computer (`cmp_…`), or of the computer of one agent (`agt_…`). */
function tokensPath(id: string): string {
  return id.startsWith("cmp_")
    ? `${computersPath}/${encodeURIComponent(id)}/tokens`
    : `/api/admin/workforce/agents/${encodeURIComponent(id)}/computer-tokens`;
}

/** The response is the only one that contains the secret. `expiresAt`: ISO 8601. */
export async function createComputerToken(
  api: Api,
  id: string,
  request: { readonly name: string; readonly expiresAt?: string | undefined },
) {
  const body = await api.read("POST", tokensPath(id), { body: request });
  return { ...tokenOf(body), token: text(body, "token"), computerId: text(body, "computerId") };
}

export async function listComputerTokens(api: Api, id: string) {
  return records(await api.read("GET", tokensPath(id)), "tokens").map((token) => ({
    ...tokenOf(token),
    lastUsedAt: optionalText(token, "lastUsedAt") ?? null,
  }));
}

export async function deleteComputerToken(api: Api, id: string, tokenId: string): Promise<void> {
  await api.request("DELETE", `${tokensPath(id)}/${encodeURIComponent(tokenId)}`);
}

function tokenOf(token: Record<string, unknown>) {
  return {
    id: text(token, "id"),
    name: text(token, "name"),
    createdAt: text(token, "createdAt"),
    expiresAt: optionalText(token, "expiresAt") ?? null,
  };
}

function computerOf(body: Record<string, unknown>) {
  return {
    id: text(body, "id"),
    name: text(body, "name"),
    kind: text(body, "kind"),
    os: text(body, "os"),
    state: text(body, "state"),
    lastSeenAt: optionalText(body, "lastSeenAt"),
    /** The whole response, for `--json`. */
    document: body,
  };
}

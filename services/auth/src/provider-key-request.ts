import { type CallPrincipal, type Issues, Reason, rpcError } from "@muster/rpc";
import type { AuthContext } from "./context.ts";

const provider = /^[a-z][a-z0-9-]{0,31}$/;
const maxKeyLength = 4_096;
const printable = /^[\x21-\x7e]+$/;

/** The name of a provider. Which ones exist is known to those who call them. */
export function checkProvider(issues: Issues, name: string): void {
  if (!provider.test(name)) issues.add("provider", "must be the name of a model provider");
}

/** Sent in a header, so nothing else is possible. */
export function checkProviderKey(issues: Issues, key: string): void {
  if (key.length <= maxKeyLength && printable.test(key)) return;
  issues.add("key", `must be 1-${maxKeyLength} printable ASCII characters without spaces`);
}

const shortestWithEnd = 16;

/** The end of a key, by which users recognise it. Four characters of a short key would be too much of it. */
export function lastFourOf(key: string): string {
  return key.length < shortestWithEnd ? "" : key.slice(-4);
}

/** Throws NOT_FOUND for a project that does not exist and for one in which the caller may not act: both take the same query. */
export async function projectFor(
  { projects }: Pick<AuthContext, "projects">,
  caller: CallPrincipal,
  projectId: string,
): Promise<string> {
  const found = await projects.find(projectId);
  if (found !== null && (caller.anyProject || caller.projectId === projectId)) return projectId;
  throw rpcError(Reason.NOT_FOUND, "The project does not exist.");
}

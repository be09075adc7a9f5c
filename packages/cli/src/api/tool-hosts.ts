import type { Api } from "../http/api.ts";
import { optionalText, records, text } from "../read.ts";
import { getProjectId, listProjects, type ToolHost, updateProject } from "./projects.ts";

/** A host with the end of its secret, which is missing if it has none. */
export interface ToolHostState extends ToolHost {
  readonly lastFour: string | undefined;
}

/** The hosts of the project's HTTP tools, in their order. */
export async function listToolHosts(api: Api): Promise<ToolHostState[]> {
  const projectId = await getProjectId(api);
  const lastFours = await readLastFours(api, projectId);
  const hosts = await readHosts(api, projectId);
  return hosts.map((entry) => ({ ...entry, lastFour: lastFours.get(entry.host) }));
}

/** Returns the secret of the host if this call has generated one. */
export async function addToolHost(api: Api, added: ToolHost, ownSecret: string | undefined) {
  const projectId = await getProjectId(api);
  const others = (await readHosts(api, projectId)).filter(({ host }) => host !== added.host);
  await updateProject(api, projectId, { toolHosts: [...others, added] });
  const isSigned = (await readLastFours(api, projectId)).has(added.host);
  return isSigned && ownSecret === undefined ? undefined : setSecret(api, projectId, added.host, ownSecret);
}

/** Returns the new secret if it is generated. */
export async function replaceToolSecret(api: Api, host: string, ownSecret: string | undefined) {
  return setSecret(api, await getProjectId(api), host, ownSecret);
}

/** Returns false if the project had neither the host nor a secret for it. */
export async function removeToolHost(api: Api, removed: string): Promise<boolean> {
  const projectId = await getProjectId(api);
  const hosts = await readHosts(api, projectId);
  const toolHosts = hosts.filter(({ host }) => host !== removed);
  const isListed = toolHosts.length < hosts.length;
  if (isListed) await updateProject(api, projectId, { toolHosts });
  const { deleted } = await api.read("DELETE", pathOf(projectId, removed));
  return isListed || deleted === true;
}

async function readHosts(api: Api, projectId: string): Promise<readonly ToolHost[]> {
  const project = (await listProjects(api)).find(({ id }) => id === projectId);
  return project?.toolHosts ?? [];
}

async function readLastFours(api: Api, projectId: string): Promise<Map<string, string>> {
  const secrets = records(await api.read("GET", pathOf(projectId)), "toolSecrets");
  return new Map(secrets.map((secret) => [text(secret, "host"), text(secret, "lastFour")]));
}

async function setSecret(api: Api, projectId: string, host: string, secret: string | undefined) {
  return optionalText(await api.read("PUT", pathOf(projectId, host), { body: { secret } }), "secret");
}

function pathOf(projectId: string, host?: string): string {
  const path = `/api/admin/projects/${encodeURIComponent(projectId)}/tool-secrets`;
  return host === undefined ? path : `${path}/${encodeURIComponent(host)}`;
}

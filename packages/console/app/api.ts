import { type Credential, Muster, MusterError, type MusterOptions } from "@muster/client";
import { MutationCache, QueryCache, QueryClient, useQuery } from "@tanstack/react-query";

const projectItem = "muster-project";

/** The project in which a key of the installation acts; null for the key's own. */
export const chosenProject = localStorage.getItem(projectItem);

/** Pages show one project at a time, so another one begins with nothing. */
export function chooseProject(projectId: string | null): void {
  if (projectId === null) localStorage.removeItem(projectItem);
  else localStorage.setItem(projectItem, projectId);
  location.assign("/console");
}

/** The browser keeps no key: the login is a cookie, which counts only with this header. */
const server: MusterOptions = {
  baseUrl: location.origin,
  retryForMs: 5_000,
  fetch: (input, init) =>
    fetch(input, { ...init, headers: { ...Object(init?.headers), "x-muster-login": "1" } }),
};

/** The server of this page, in the chosen project. */
export const muster = new Muster({ ...server, project: chosenProject ?? undefined });

/** The same in the project of the key, for requests that precede a choice. */
export const entrance = new Muster(server);

export const credentialKey = ["/api/credential"];

/** Who is logged in; null before a login. A project that an earlier login has chosen, and this one may not use, is forgotten. */
export async function readCredential(): Promise<Credential | null> {
  try {
    return await muster.credential();
  } catch (error) {
    if (error instanceof MusterError && error.status === 401) return null;
    const isForeign = error instanceof MusterError && (error.status === 403 || error.status === 404);
    if (chosenProject === null || !isForeign) throw error;
    localStorage.removeItem(projectItem);
    location.reload();
    return new Promise(() => undefined);
  }
}

/** A login that has ended shows the form over the page, which keeps its state. */
export function noticeEnd(error: unknown): boolean {
  const hasEnded = error instanceof MusterError && error.status === 401;
  if (hasEnded) queryClient.setQueryData(credentialKey, null);
  return hasEnded;
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => void noticeEnd(error) }),
  mutationCache: new MutationCache({ onError: (error) => void noticeEnd(error) }),
  defaultOptions: {
    // The client itself repeats what is safe. Live changes make data stale, and so does a return to the page.
    queries: { retry: false, staleTime: 30_000 },
    // Their input can be a secret.
    mutations: { gcTime: 0 },
  },
});

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The response of a route, by its address. Null for an address: nothing is asked yet. */
export function useApi<Reply>(path: string | null, query: Query = {}) {
  return useQuery({
    queryKey: [path, query],
    enabled: path !== null,
    queryFn: ({ signal }) => muster.request<Reply>("GET", path ?? "", { query, signal }),
  });
}

/** Reads everything below these addresses again. */
export function refresh(...paths: readonly string[]): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [address] }) => paths.some((path) => String(address).startsWith(path)),
  });
}

/** Gathers addresses and refreshes them at once, at most so often. */
export function refreshAtMostEvery(pauseMs: number): (...paths: readonly string[]) => void {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let nextMs = 0;
  return (...paths) => {
    for (const path of paths) waiting.add(path);
    if (timer !== undefined) return;
    const flush = () => {
      timer = undefined;
      nextMs = performance.now() + pauseMs;
      void refresh(...waiting);
      waiting.clear();
    };
    timer = setTimeout(flush, Math.max(0, nextMs - performance.now()));
  };
}

/** A path with ids in it: `` route`/api/agents/${id}` ``. */
export function route(strings: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: strings }, ...ids.map((id) => encodeURIComponent(id)));
}

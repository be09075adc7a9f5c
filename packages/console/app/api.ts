import { Muster, MusterError } from "@muster/client";
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

/** The server of this page. The browser holds no key: the login is a cookie, which counts only with this header. */
export const muster = new Muster({
  baseUrl: location.origin,
  project: chosenProject ?? undefined,
  retryForMs: 5_000,
  fetch: (input, init) =>
    fetch(input, { ...init, headers: { ...Object(init?.headers), "x-muster-login": "1" } }),
});

export const credentialKey = ["/api/credential"];

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
  },
});

export type Query = Readonly<Record<string, string | number | undefined>>;

/** What a route answers, by its address. Null for an address: nothing is asked yet. */
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

/** A path with ids in it: `` route`/api/agents/${id}` ``. */
export function route(strings: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: strings }, ...ids.map((id) => encodeURIComponent(id)));
}

import { useQuery } from "@tanstack/react-query";

interface Ready {
  status: string;
  dependencies?: Record<string, string>;
  degraded?: string[];
}

/** The state of the server, asked once a minute and on every return to the page. It needs no login. */
export function useHealth() {
  return useQuery({
    queryKey: ["/readyz"],
    refetchInterval: 60_000,
    queryFn: async ({ signal }): Promise<Ready> => (await fetch("/readyz", { signal })).json(),
  });
}

export function Health() {
  const { data, isError, isPending } = useHealth();
  if (isPending) return null;
  const isHealthy = !isError && data?.status === "ready";
  const word = isHealthy ? "healthy" : isError ? "unreachable" : "not ready";
  return (
    <span className="inline-flex items-center gap-1.5 text-small text-muted">
      <span aria-hidden="true" className={`size-2 rounded-full ${isHealthy ? "bg-good" : "bg-bad"}`} />
      {word}
    </span>
  );
}

import { useMutation } from "@tanstack/react-query";
import { muster, route } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { duration, plural } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";

/** The client has no type for a reply of two shapes. */
type Result =
  | { ok: false; stage: string; problem: string }
  | {
      ok: true;
      protocolVersion: string;
      server: { name: string; version: string } | null;
      tools: ReadonlyArray<{ name: string; description: string }>;
      /** One sentence for each tool that agents cannot use. */
      problems: readonly string[];
      latencyMs: number;
    };

/** Connects to the server, and shows its tools or what is wrong in the API's words. */
export function TestMcpServer({ id }: { id: string }) {
  const test = useMutation({
    mutationFn: () => muster.request<Result>("POST", route`/api/admin/mcp-servers/${id}/test`),
  });
  return (
    <div className="grid gap-3">
      <div>
        <Button look="primary" disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? "Connecting, up to 20 s …" : "Test the connection"}
        </Button>
      </div>
      <Failure error={test.error} />
      <div role="status" className="empty:hidden">
        {test.data !== undefined && <TestResult result={test.data} />}
      </div>
    </div>
  );
}

function TestResult({ result }: { result: Result }) {
  if (!result.ok)
    return (
      <div className="grid gap-1 rounded-card border border-line p-3 text-table">
        <Status state={`failed: ${result.stage}`} tone="bad" />
        <p className="break-words">{result.problem}</p>
      </div>
    );
  const { tools, problems, server, protocolVersion, latencyMs } = result;
  return (
    <div className="grid gap-2 rounded-card border border-line p-3 text-table">
      <Status state={`${plural(tools.length, "tool")} in ${duration(latencyMs)}`} tone="good" />
      <p className="text-muted">
        {server !== null && `${server.name} ${server.version} · `}MCP {protocolVersion}
      </p>
      {problems.map((problem) => (
        <p key={problem} className="text-warn">
          {problem}
        </p>
      ))}
      <dl className="grid gap-2">
        {tools.map(({ name, description }) => (
          <div key={name}>
            <dt className="font-mono text-small break-all">{name}</dt>
            <dd className="line-clamp-3 text-muted">{description}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

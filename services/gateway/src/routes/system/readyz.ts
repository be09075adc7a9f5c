import type { Readiness } from "@muster/service";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { notReadyReply, readyQuery, readyReply } from "../../schemas/system.ts";
import { stoppingProblem } from "../../streams/event-stream.ts";

export const readyz: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/readyz",
    config: { isProbe: true, sends: ["Cache-Control"] },
    schema: {
      operationId: "checkReadiness",
      tags: ["System"],
      summary:
        "Check that the server can serve requests: it is not stopping, and everything that it needs responds",
      description:
        "The response is 503 while the server stops, or lacks a dependency. With `scope=self`, dependencies do not count: for load balancers in front of several servers, which all lack the same one.",
      querystring: readyQuery,
      response: { 200: readyReply, 503: notReadyReply },
    },
    handler: async (request, reply) => {
      const readiness = context.isStopping() ? undefined : await readinessOf(request.query.scope, context);
      reply.header("cache-control", "no-store");
      if (readiness?.isReady) return ready(readiness);
      return reply
        .code(503)
        .header("retry-after", "1")
        .send({
          ...(readiness === undefined ? stopping() : failing(readiness)),
          code: "UNAVAILABLE",
          requestId: request.id,
        });
    },
  });

/** With the scope `self`, no dependency is asked. */
async function readinessOf(
  scope: "all" | "self" | undefined,
  { checkReady }: Pick<GatewayContext, "checkReady">,
): Promise<Readiness> {
  return scope === "self" ? { isReady: true, dependencies: {}, degraded: [] } : await checkReady();
}

function ready({ dependencies, degraded }: Readiness) {
  return {
    status: "ready" as const,
    dependencies,
    ...(degraded.length > 0 && { degraded: [...degraded] }),
  };
}

function stopping() {
  return { status: "stopping" as const, dependencies: {}, error: stoppingProblem().message };
}

function failing({ dependencies }: Readiness) {
  const names = Object.keys(dependencies).filter((name) => dependencies[name] !== "ok");
  return { status: "not_ready" as const, dependencies, error: `Not ready: ${names.join(", ")}.` };
}

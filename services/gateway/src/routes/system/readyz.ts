import type { Readiness } from "@muster/service";
import { Type } from "typebox";
import { stoppingProblem } from "../../stream/event-stream.ts";
import type { AddRoute } from "../app.ts";

const dependencies = Type.Record(Type.String(), Type.Enum(["ok", "not_ready", "unreachable"]), {
  description: "The state of each part; what a part itself lacks is listed as part.name.",
});

const notReady = Type.Object({
  status: Type.Enum(["not_ready", "stopping"]),
  dependencies,
  error: Type.String(),
  code: Type.String(),
  requestId: Type.String(),
});

export const readyz: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/readyz",
    config: { access: "public", isProbe: true },
    schema: {
      tags: ["System"],
      summary:
        "Check that the server can serve requests: it is not stopping, and everything that it needs responds",
      response: {
        200: Type.Object({ status: Type.Literal("ready"), dependencies }),
        503: notReady,
      },
    },
    handler: async (request, reply) => {
      const readiness = context.isStopping() ? undefined : await context.checkReady();
      reply.header("cache-control", "no-store");
      if (readiness?.isReady) return { status: "ready" as const, dependencies: readiness.dependencies };
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

function stopping() {
  return { status: "stopping" as const, dependencies: {}, error: stoppingProblem().message };
}

function failing({ dependencies }: Readiness) {
  const names = Object.keys(dependencies).filter((name) => dependencies[name] !== "ok");
  return { status: "not_ready" as const, dependencies, error: `Not ready: ${names.join(", ")}.` };
}

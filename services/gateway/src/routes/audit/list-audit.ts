import { Readable } from "node:stream";
import type { AuditEntry, ListAuditEntriesResponse } from "@muster/proto/audit";
import type { FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../../auth/identity.ts";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { endProgress } from "../../edge/limits/admission.ts";
import { auditQuery, auditReply } from "../../schemas/audit.ts";
import { pageOf } from "../../schemas/common.ts";
import { isoOf } from "../../schemas/iso.ts";
import { readTime } from "../admin/admin-json.ts";

const exportPage = 1_000;

export const listAudit: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/admin/audit",
    config: { produces: ["application/json", "application/x-ndjson"], sends: ["Cache-Control"] },
    schema: {
      operationId: "listAudit",
      tags: ["Administration"],
      summary: "List the changes of the project, or export all of them",
      description:
        "Returns one page, newest first. Continue with `nextCursor` until it is null. With `Accept: application/x-ndjson`, the response contains all entries, one per line. Without filters, they are in the order of the chain, after a line with the `anchor` if old entries were removed.",
      querystring: auditQuery,
      response: { 200: auditReply },
    },
    handler: async (request, reply) => {
      const { actor = "", action = "", target = "", from, to, ...page } = request.query;
      const filters = { actor, action, target, ...timesOf({ from, to }) };
      const list = (asked: { cursor: string; pageSize?: number; chain?: boolean }) =>
        context.audit.listAuditEntries({ ...filters, ...asked }, pageCall(context, request));
      reply.header("cache-control", "no-store");
      if (!wantsLines(request)) {
        const { entries, nextCursor } = await list(pageOf(page));
        return reply.send({ entries: entries.map(entryJson), nextCursor: nextCursor || null });
      }
      const chain = Object.values(request.query).every((value) => value === undefined);
      const next = (cursor: string) => list({ cursor, chain, pageSize: exportPage });
      const first = await next("");
      endProgress(request);
      const text: FastifyReply = reply;
      return text.type("application/x-ndjson").send(Readable.from(linesFrom(first, chain, next)));
    },
  });

/** Signed again for each page: an export can take longer than a signature lasts. */
function pageCall(context: GatewayContext, request: FastifyRequest) {
  const caller = callerOf(request);
  return callFor(context, request, caller.inProject(caller.principal.projectId));
}

function timesOf({ from, to }: { from: string | undefined; to: string | undefined }) {
  return {
    ...(from !== undefined && { from: readTime(from, "querystring", "from") }),
    ...(to !== undefined && { to: readTime(to, "querystring", "to") }),
  };
}

/** JSON is the default, also of a client that accepts everything. */
function wantsLines({ headers: { accept = "" } }: FastifyRequest): boolean {
  return accept.includes("application/x-ndjson") && !accept.includes("application/json");
}

async function* linesFrom(
  first: ListAuditEntriesResponse,
  chain: boolean,
  next: (cursor: string) => Promise<ListAuditEntriesResponse>,
): AsyncGenerator<string> {
  const { anchor } = first;
  if (chain && anchor)
    yield `${JSON.stringify({ anchor: { number: Number(anchor.number), hash: anchor.hash } })}\n`;
  for (let page = first; ; page = await next(page.nextCursor)) {
    yield page.entries.map((entry) => `${JSON.stringify(entryJson(entry))}\n`).join("");
    if (page.nextCursor === "") return;
  }
}

function entryJson({ number, at, actor, before, after, ...entry }: AuditEntry) {
  if (actor === undefined) throw internalProblem(new Error("An entry has no actor"));
  const { id, action, target, requestId, outcome, hash } = entry;
  return {
    ...{ id, number: Number(number), at: isoOf(at) },
    actor: { kind: actor.kind, id: actor.id, ip: actor.ip ?? null },
    ...{ action, target, before: before ?? null, after: after ?? null },
    ...{ requestId, outcome, hash },
  };
}

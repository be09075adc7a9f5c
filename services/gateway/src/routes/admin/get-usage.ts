import type { UsageGroup } from "@muster/proto/sessions";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { usageQuery, usageReply } from "../../schemas/usage.ts";

export const getUsage: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/usage",
    config: { produces: ["application/json", "text/csv"], sends: ["Cache-Control"] },
    schema: {
      operationId: "getUsage",
      tags: ["Administration"],
      summary: "Sum the usage of the project's model calls, as JSON or CSV",
      description:
        "Counts sessions, workers and runs of workforce agents, up to the last second. With `Accept: text/csv`, the response is a table with the same columns. A call that ended before its provider reported the usage counts with an estimate.",
      querystring: usageQuery,
      response: { 200: usageReply },
    },
    handler: async (request, reply) => {
      const today = new Date().toISOString().slice(0, 10);
      const { from = `${today.slice(0, 8)}01`, to = today, groupBy = "day" } = request.query;
      const dailyTop = Number(request.query.dailyTop ?? 0);
      const { groups, total } = await context.sessions.reportUsage(
        { from, to, groupBy, dailyTop },
        callFor(context, request),
      );
      if (total === undefined) throw internalProblem(new Error("ReportUsage returned no total"));
      const rows = groups.map((group, index) => ({
        ...{ name: group.name || null, ...amountsOf(group) },
        ...(index < dailyTop && { days: group.days.map((day) => ({ day: day.name, ...amountsOf(day) })) }),
      }));
      reply.header("cache-control", "no-store");
      const text: FastifyReply = reply;
      if (wantsCsv(request)) return text.type("text/csv; charset=utf-8").send(csvOf(groupBy, rows));
      return reply.send({ from, to, groupBy, groups: rows, total: amountsOf(total) });
    },
  });

type Row = { name: string | null } & ReturnType<typeof amountsOf>;

function amountsOf({ calls, inputTokens, outputTokens, ...fees }: UsageGroup) {
  const { providerFeeUsd, bandwidthFeeUsd, totalFeeUsd } = fees;
  return {
    ...{ calls: Number(calls), inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) },
    ...{ providerFeeUsd, bandwidthFeeUsd, totalFeeUsd },
  };
}

/** JSON is the default, also of a client that accepts everything. */
function wantsCsv({ headers }: FastifyRequest): boolean {
  return /\btext\/csv\b/.test(headers.accept ?? "") && !/\bapplication\/json\b/.test(headers.accept ?? "");
}

function csvOf(groupBy: string, rows: ReadonlyArray<Row>): string {
  const columns = [
    "calls",
    "inputTokens",
    "outputTokens",
    "providerFeeUsd",
    "bandwidthFeeUsd",
    "totalFeeUsd",
  ] as const;
  const lines = rows.map((row) => [row.name ?? "", ...columns.map((column) => row[column])]);
  return [[groupBy, ...columns], ...lines].map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

/** Quoted if necessary. A spreadsheet must not take the id of a model for a formula. */
function cellOf(value: string | number): string {
  const text = /^[=+@-]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

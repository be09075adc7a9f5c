import type { Issue } from "@muster/proto/errors";
import type { FastifyRequest } from "fastify";
import { type AddRoute, callFor } from "../../context.ts";
import { problemFrom } from "../../edge/errors/from-any.ts";
import { isRequired, isValidationFailure } from "../../edge/errors/validation.ts";
import { validateAgentBody, validationReply } from "../../schemas/agents.ts";
import { definitionOf } from "./agent-messages.ts";
import { mcpServerSlugs } from "./mcp-server-slugs.ts";

export const validateAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agents/validate",
    schema: {
      operationId: "validateAgent",
      tags: ["Agents"],
      summary: "Check a definition without storing it",
      description:
        "Reports every problem that creating the agent would report. Members that are missing, mistyped or too large are issues, too; they are reported before the content is checked.",
      body: validateAgentBody,
      response: { 200: validationReply },
    },
    handler: async (request) => {
      const { issues } = await context.agents.validateAgent(
        { definition: definitionOf(request.body), ...(await mcpServerSlugs(context, request)) },
        callFor(context, request),
      );
      return validationReport(issues);
    },
    errorHandler: (error, request, reply) => {
      const found = issuesOfMembers(error, request);
      if (found === undefined) throw error;
      return reply.code(200).send(validationReport(found));
    },
  });

/** The issues of members of the body; undefined if the error is about anything else. */
function issuesOfMembers(error: unknown, request: FastifyRequest) {
  const { code, issues } = problemFrom(error, request);
  if (issues.length === 0 || issues.some(({ path }) => path === "")) return undefined;
  const plain = { severity: "error", suggestions: [] };
  if (code === "PAYLOAD_TOO_LARGE")
    return issues.map((issue) => ({ ...issue, ...plain, code: "LIMIT_EXCEEDED" }));
  if (code !== "INVALID_REQUEST") return undefined;
  const isShape = isValidationFailure(error);
  return issues.map(({ path, message }) => {
    const codeOfShape = message === isRequired ? "MISSING_FIELD" : "WRONG_TYPE";
    // The parser refuses texts that cannot be stored.
    return { ...plain, code: isShape ? codeOfShape : "INVALID_TEXT", path, message: `This ${message}.` };
  });
}

type Severity = "error" | "warning" | "info";

interface Brief<S extends Severity> {
  message: string;
  path: string;
  severity: S;
}

/** The response of Validate. `errors` and `warnings` are the issues of that severity, in short. */
interface ValidationReport {
  /** True if there are no errors. */
  valid: boolean;
  errors: Brief<"error">[];
  warnings: Brief<"warning">[];
  issues: Array<Brief<Severity> & { code: string; suggestions?: string[] }>;
}

function validationReport(
  found: ReadonlyArray<Pick<Issue, "code" | "message" | "path" | "severity" | "suggestions">>,
): ValidationReport {
  const issues = found.map(({ code, path, message, severity, suggestions }) => ({
    ...{ code, path, message, severity: severityOf(severity) },
    ...(suggestions.length === 0 ? {} : { suggestions }),
  }));
  const brief = <S extends Severity>(wanted: S): Brief<S>[] =>
    issues
      .filter(({ severity }) => severity === wanted)
      .map(({ message, path }) => ({ message, path, severity: wanted }));
  const errors = brief("error");
  return { valid: errors.length === 0, errors, warnings: brief("warning"), issues };
}

/** An issue without a severity is an error. */
function severityOf(text: string): Severity {
  return text === "warning" || text === "info" ? text : "error";
}

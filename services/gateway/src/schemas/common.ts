import { approvalDemands } from "@muster/rpc";
import { statusOfCode } from "@muster/wire/error-codes";
import {
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type TProperties,
  type TSchema,
  Type,
  text,
} from "@muster/wire/schema";
import { numberPatterns } from "../edge/errors/patterns.ts";

/** Path segment of an id or slug. A malformed one is simply unknown: 404. */
export function segmentOf(description: string) {
  return text(description, { pattern: "^[0-9A-Za-z_-]{1,100}$" });
}

/** An id in a body. */
export function idOf(description: string) {
  return text(description, { minLength: 1, maxLength: 100 });
}

/** The body of a request, or of a response with an example. */
export function body<Fields extends TProperties>(
  title: string,
  description: string,
  example: unknown,
  fields: Fields,
) {
  return object(title, description, fields, { examples: [example] });
}

export const slugPattern = "^[a-z0-9]+(-[a-z0-9]+)*$";

/** The slug of a new resource. */
export const slug = text("Unique in the project. It never changes.", { pattern: slugPattern, maxLength: 64 });

/** Members of responses about a resource with a slug and revisions. */
export const slugShown = text("Its name in the project, which never changes.");
export const revision = integer("1 at creation, and one more with every change. Also the `ETag`.", {
  minimum: 1,
});
export const managed = flag("True if `muster apply` manages it.");

export const ifMatch = Type.Object({
  "if-match": optional(
    text(
      'The expected version in quotes (`"3"`), several of them, or `*`. Any other current version is 412.',
    ),
  ),
});

export const timestamp = text("A time in ISO 8601.", { format: "date-time" });

/** An object that may have more members than are read. */
export function openObject<Fields extends TProperties>(description: string, fields: Fields) {
  return Type.Object(fields, { additionalProperties: true, description });
}

/** An object whose fields the responsible service checks. */
export function openObjectOf(description: string) {
  return openObject(description, {});
}

/** The success of a route that answers with a document, or with events about it. */
export function documentOrEvents(description: string, schema: TSchema) {
  return { description, content: { "application/json": { schema }, "text/event-stream": { schema } } };
}

/** Stricter rules for tool calls. The responsible service checks the names. */
export const approvalRules = {
  ...Type.Unsafe<Record<string, string>>(
    Type.Object({}, { additionalProperties: Type.Enum([...approvalDemands]), maxProperties: 100 }),
  ),
  description:
    "Rules that make the definition's own stricter: by the name of a tool or of a namespace, or by a pattern with `*`, whether a call waits for approval (`ask`) or is denied.",
};

/** The same in a body that replaces them. */
export const approvalChanges = nullable("Replaces all rules of approval; null removes them.", approvalRules);

export function timeOf(description: string) {
  return text(`${description} In ISO 8601.`, { format: "date-time" });
}

export const severity = oneOf("Only errors make a definition invalid.", ["error", "warning", "info"]);

const issue = object("Issue", "A part of the request that is wrong.", {
  path: text("Where the problem is: a dotted path, empty for the whole document."),
  message: text("The problem, and what to do."),
  code: optional(text("The kind of problem in a definition. Codes are never renamed.")),
  severity: optional(severity),
  suggestions: optional(list("The closest known names.", Type.String())),
});

export const errorFields = {
  error: text("One sentence that says what is wrong and what to do. It may be reworded."),
  code: text("The kind of error, to branch on. Codes are never renamed.", {
    examples: [Object.keys(statusOfCode)[0]],
  }),
  requestId: text("The id of the request, as in `X-Request-Id`."),
};

/** The body of every response other than a success. */
export const errorBody = object("Error", "The body of every error.", {
  ...errorFields,
  issues: optional(list("The parts of the request that are wrong.", issue)),
  currentThreadId: optional(
    nullable("With `AGENT_BUSY`: the thread that occupies the agent; null if another one is just starting."),
  ),
});

/** The query of a list that is read page by page. */
export function pageQuery(items: string, byDefault: number) {
  const limit = `The maximum number of ${items} to return, from 1 to 100. Default: ${byDefault}.`;
  return {
    limit: optional(text(limit, { pattern: numberPatterns[100] })),
    cursor: optional(text("`nextCursor` of the previous page.", { minLength: 1, maxLength: 500 })),
  };
}

export const nextCursor = nullable("For the next page; null on the last one.");

/** For routes that return an ETag. */
export const ifNoneMatch = Type.Object({
  "if-none-match": optional(text("An ETag, several of them, or `*`. A match returns 304.")),
});

/** The body of a 304. */
export const unchanged = Type.Null({ description: "The version in If-None-Match is still current." });

/** The fields of the RPC's request for the page that a query asks for. */
export function pageOf({ limit, cursor = "" }: { limit?: string; cursor?: string }) {
  return { cursor, ...(limit !== undefined && { pageSize: Number(limit) }) };
}

/** For whom a new session, execution or token is. */
export const subjectOf = (description: string) =>
  optional(text(description, { minLength: 1, maxLength: 256 }));

import { statusOfCode } from "@muster/wire/error-codes";
import { type TSchema, Type } from "@muster/wire/schema";

/** Path segment of an id or slug. A malformed one is simply unknown: 404. */
export const idSegment = Type.String({ pattern: "^[0-9A-Za-z_-]{1,100}$" });

/** An id in a body. */
export const idField = Type.String({ minLength: 1, maxLength: 100 });

/** An object whose fields the responsible service checks. */
export const openObject = Type.Object({}, { additionalProperties: true });

export const timestamp = Type.String({ format: "date-time", description: "A time in ISO 8601." });

export function text(description: string) {
  return Type.String({ description });
}

export function openObjectOf(description: string) {
  return Type.Object({}, { additionalProperties: true, description });
}

export function timeOf(description: string) {
  return Type.String({ format: "date-time", description: `${description} In ISO 8601.` });
}

/** A value that is always present, but may be null. */
export function nullable<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

export const severity = Type.Enum(["error", "warning", "info"], {
  description: "Only errors make a definition invalid.",
});

const issue = Type.Object(
  {
    path: text("Where the problem is: a dotted path, empty for the whole document."),
    message: text("The problem, and what to do."),
    code: Type.Optional(text("The kind of problem in a definition. Codes are never renamed.")),
    severity: Type.Optional(severity),
    suggestions: Type.Optional(Type.Array(Type.String(), { description: "The closest known names." })),
  },
  { title: "Issue", description: "A part of the request that is wrong." },
);

export const errorFields = {
  error: text("One sentence that says what is wrong and what to do. It may be reworded."),
  code: Type.String({
    description: "The kind of error, to branch on. Codes are never renamed.",
    examples: [Object.keys(statusOfCode)[0]],
  }),
  requestId: text("The id of the request, as in `X-Request-Id`."),
};

/** The body of every response other than a success. */
export const errorBody = Type.Object(
  {
    ...errorFields,
    issues: Type.Optional(Type.Array(issue, { description: "The parts of the request that are wrong." })),
    currentThreadId: Type.Optional(
      nullable(
        Type.String(),
        "With `AGENT_BUSY`: the thread that occupies the agent; null if another one is just starting.",
      ),
    ),
  },
  { title: "Error", description: "The body of every error." },
);

/** For routes that return an ETag. */
export const ifNoneMatch = Type.Object({
  "if-none-match": Type.Optional(text("An ETag, several of them, or `*`. A match returns 304.")),
});

/** The body of a 304. */
export const unchanged = Type.Null({ description: "The version in If-None-Match is still current." });

import { Type } from "typebox";

/** Path segment of an id or slug. A malformed one is simply unknown: 404. */
export const idSegment = Type.String({ pattern: "^[0-9A-Za-z_-]{1,100}$" });

/** An id in a body. */
export const idField = Type.String({ minLength: 1, maxLength: 100 });

/** An object whose fields the responsible service checks. */
export const openObject = Type.Object({}, { additionalProperties: true });

export const timestamp = Type.String({ format: "date-time", description: "ISO 8601" });

export const issue = Type.Object({
  path: Type.String({ description: "Dotted path; empty for the whole document." }),
  message: Type.String(),
  code: Type.Optional(Type.String()),
  severity: Type.Optional(Type.Enum(["error", "warning", "info"])),
  suggestions: Type.Optional(Type.Array(Type.String())),
});

/** The body of every response other than a success. */
export const errorBody = Type.Object(
  {
    error: Type.String({ description: "One sentence that says what to do." }),
    code: Type.String({ description: "See the list of error codes." }),
    requestId: Type.String(),
    issues: Type.Optional(Type.Array(issue)),
  },
  { description: "Error" },
);

/** For routes that return an ETag. */
export const ifNoneMatch = Type.Object({
  "if-none-match": Type.Optional(
    Type.String({ description: "An ETag, several of them, or `*`. A match returns 304." }),
  ),
});

/** The body of a 304. */
export const unchanged = Type.Null({ description: "The version in If-None-Match is still current." });

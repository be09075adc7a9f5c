import { Type } from "typebox";

/** Path segment of an id or slug. What cannot be one is simply unknown: 404. */
export const idSegment = Type.String({ pattern: "^[0-9A-Za-z_-]{1,100}$" });

/** An id in a body. */
export const idField = Type.String({ minLength: 1, maxLength: 100 });

/** An object whose fields are checked by the service that knows them. */
export const openObject = Type.Object({}, { additionalProperties: true });

export const timestamp = Type.String({ format: "date-time", description: "ISO 8601" });

export const issue = Type.Object({
  path: Type.String({ description: "Dotted path; empty means the whole." }),
  message: Type.String(),
  code: Type.Optional(Type.String()),
  severity: Type.Optional(Type.Enum(["error", "warning", "info"])),
  suggestions: Type.Optional(Type.Array(Type.String())),
});

/** The body of every answer that is not a success. */
export const errorBody = Type.Object(
  {
    error: Type.String({ description: "One sentence that says what to do." }),
    code: Type.String({ description: "See the list of error codes." }),
    requestId: Type.String(),
    issues: Type.Optional(Type.Array(issue)),
  },
  { description: "Error" },
);

/** Of a route that answers with an ETag. */
export const ifNoneMatch = Type.Object({
  "if-none-match": Type.Optional(
    Type.String({ description: "An ETag, several, or `*`; 304 when it is right." }),
  ),
});

/** The body of a 304. */
export const unchanged = Type.Null({ description: "What If-None-Match names is still right." });

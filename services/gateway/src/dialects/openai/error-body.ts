import { codeOfErrorType, type PublicCode, type StreamError, statusOfCode } from "@muster/wire/error-codes";
import { inline, nullable, object, text } from "@muster/wire/schema";
import type { HttpProblem } from "../../edge/errors/http-problem.ts";

/** The kinds of errors that clients of the OpenAI API know. */
const typeOfStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

/** An error as the OpenAI API sends it, in the body of a response and in a stream. */
export interface OpenAiError {
  message: string;
  type: string;
  /** The field that is wrong. */
  param: string | null;
  /** One of the codes of this server. */
  code: PublicCode;
}

export function openAiError(code: PublicCode, message: string, param: string | null = null): OpenAiError {
  const status = statusOfCode[code];
  const type = typeOfStatus[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
  return { message, type, param, code };
}

/** The body of every error, in the OpenAPI document. */
const errorSchema = object("OpenAiErrorReply", "An error as the OpenAI API sends it.", {
  error: inline("The error.", {
    message: text("What is wrong, and what to do."),
    type: text("The kind of error, in the words of that API."),
    param: nullable("The member of the request that is wrong."),
    code: text("One of the codes of this server."),
  }),
});

/** The body of an error response. Services know the tools of a request under the name of the API. */
function errorBody({ code, message, issues: [first] }: HttpProblem): { error: OpenAiError } {
  const named = (text: string) => text.replaceAll("dynamicToolSchemas", "tools");
  return { error: openAiError(code, named(message), named(first?.path ?? "") || null) };
}

/** How the routes of these dialects are refused. */
export const openAiErrors = { errorBody, errorSchema };

/** The error of an event of a stream. */
export function errorOfEvent({ code, errorType, message }: Omit<StreamError, "type">): OpenAiError {
  return openAiError(code ?? codeOfErrorType[errorType], message);
}

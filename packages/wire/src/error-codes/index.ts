export { meaningOfCode } from "./meanings.ts";
export { type PublicCode, publicCodes, statusOfCode } from "./public-codes.ts";
export { codeOfErrorType, type StreamError, type StreamErrorType, streamErrorTypes } from "./stream-error.ts";

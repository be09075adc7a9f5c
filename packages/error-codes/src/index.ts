export { meaningOfCode } from "./meanings.ts";
export { type PublicCode, publicCodes, statusOfCode } from "./public-codes.ts";
export { type StreamError, type StreamErrorType, streamErrorTypes } from "./stream-error.ts";

export { meaningOfCode } from "./meaning-of-code.ts";
export { type PublicCode, publicCodes, statusOfCode } from "./public-codes.ts";
export { codeOfErrorType, type StreamError, type StreamErrorType, streamErrorTypes } from "./stream-error.ts";

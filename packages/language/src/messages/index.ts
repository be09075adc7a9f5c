export { formatMessage, formatOf, isFormat } from "./format.ts";
export { issueOf } from "./issue.ts";
export { sourceOf } from "./source.ts";

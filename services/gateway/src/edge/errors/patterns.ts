/** Numbers from 1 in a query, by their largest one. A query contains strings, so a pattern is all that can check them. */
export const numberPatterns = {
  10: "^([1-9]|10)$",
  100: "^([1-9][0-9]?|100)$",
  1000: "^([1-9][0-9]{0,2}|1000)$",
  3000: "^([1-9][0-9]{0,2}|[12][0-9]{3}|3000)$",
} as const;

/** A number of seconds from 0 to 30 in a query. */
export const waitPattern = "^([0-9]|[12][0-9]|30)$";

/** The number of an event in a query or a header. */
export const cursorPattern = "^[0-9]{1,9}$";

/** A name that every model provider accepts for a tool. */
export const toolNamePattern = "^[0-9A-Za-z_-]{1,64}$";

/** The rules that patterns stand for, for the message of an issue. */
export const ruleOfPattern: ReadonlyMap<string, string> = new Map([
  ...Object.entries(numberPatterns).map(([largest, pattern]): [string, string] => [
    pattern,
    `must be a number from 1 to ${largest}`,
  ]),
  [waitPattern, "must be a number from 0 to 30"],
  [cursorPattern, "must be the number of an event, such as 12, or 0"],
  [toolNamePattern, "must have 1 to 64 letters, digits, underscores or hyphens"],
]);

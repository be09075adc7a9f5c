import type { CST } from "yaml";

type Tokens = readonly CST.SourceToken[];
type Indicator = "map-value-ind" | "seq-item-ind" | "comma";

/**
 * Whether tokens are only spaces, line ends and comments, as YAML allows them. A comment needs a space before it;
 * `isSpaced` is true if one precedes the first token. Tabs are left to the library, which knows where they are
 * allowed.
 */
export function areBlank(tokens: Tokens | undefined, isSpaced: boolean): boolean {
  return tokens === undefined || tokens.length === 0 || scan(tokens, undefined, isSpaced) === -1;
}

/** The index of an indicator that has only blanks around it; undefined if there is none, or anything else. */
export function onlyIndicator(tokens: Tokens, indicator: Indicator, isSpaced: boolean): number | undefined {
  const index = scan(tokens, indicator, isSpaced);
  return index === -1 ? undefined : index;
}

/** -1 if all tokens are blank, undefined if one is neither blank nor the only indicator. */
function scan(tokens: Tokens, indicator: Indicator | undefined, isSpaced: boolean): number | undefined {
  let spaced = isSpaced;
  let found = -1;
  for (const [index, { type, source }] of tokens.entries()) {
    if (type === "newline" || (type === "space" && !source.includes("\t"))) {
      spaced = true;
    } else if (type === indicator && found === -1) {
      found = index;
      spaced = false;
    } else if (type !== "comment" || !spaced) return undefined;
  }
  return found;
}

export function hasNewline(tokens: Tokens): boolean {
  return tokens.some(({ type }) => type === "newline");
}

/** The offset of an omitted value: after its indicator and the spaces that follow on the same line. */
export function emptyOffset(tokens: Tokens, indicator: number): number {
  let last = indicator;
  while (tokens[last + 1]?.type === "space") last += 1;
  const token = tokens[last];
  return token === undefined ? 0 : token.offset + token.source.length;
}

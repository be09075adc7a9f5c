/** Characters that a terminal obeys, that change the order of others, or that show nothing. Line breaks are kept. */
const obeyed = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** Text of others as a terminal may show it: the characters that it would obey are shown as their codes, such as `\u001b`. */
export function plainText(text: string): string {
  return text.replace(obeyed, (found) => {
    if (found === "\n" || found === "\t") return found;
    const code = (found.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
  });
}

/** The same on one line, cut to a length. */
export function plainLine(text: string, maxLength = 200): string {
  const line = plainText(text.slice(0, maxLength + 1)).replace(/[\n\t]+/g, " ");
  return text.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

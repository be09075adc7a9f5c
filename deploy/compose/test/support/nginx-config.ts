/** A directive of an nginx configuration, such as `listen 8080;` or `server { … }`. */
export interface Directive {
  name: string;
  values: string[];
  /** The directives in its braces; none without braces. */
  inside: Directive[];
}

const token = /\s+|#[^\n]*|([{};])|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s;{}]+)/y;

/** Parses nginx's syntax without includes. Throws if braces or semicolons are missing. */
export function parseNginxConfig(text: string): Directive[] {
  const stack: Directive[][] = [[]];
  let words: string[] = [];
  const end = (): Directive => {
    const [name, ...values] = words;
    if (name === undefined) throw new Error("A directive has no name");
    words = [];
    const directive: Directive = { name, values, inside: [] };
    stack.at(-1)?.push(directive);
    return directive;
  };
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (match === null) throw new Error(`Not understood: ${text.slice(at, at + 40)}`);
    const [, mark, single, double, plain] = match;
    const word = single ?? double ?? plain;
    if (word !== undefined) words.push(word);
    if (mark === ";") end();
    if (mark === "{") stack.push(end().inside);
    if (mark === "}" && (words.length > 0 || stack.length === 1 || stack.pop() === undefined))
      throw new Error("A semicolon or an opening brace is missing");
  }
  const [directives = []] = stack;
  if (stack.length > 1 || words.length > 0) throw new Error("A semicolon or a closing brace is missing");
  return directives;
}

/** The directives of that name, at any depth. */
export function directivesNamed(name: string, directives: readonly Directive[]): Directive[] {
  return directives.flatMap((directive) => [
    ...(directive.name === name ? [directive] : []),
    ...directivesNamed(name, directive.inside),
  ]);
}

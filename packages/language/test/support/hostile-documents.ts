const size = 128 * 1024;
const filled = (piece: (index: number) => string): string => {
  let text = "";
  for (let index = 0; text.length < size - 200; index++) text += piece(index);
  return text;
};

/** Invalid YAML of at most 128 KiB, most of which costs a parser with default settings seconds or gigabytes. */
export const hostileDocuments: Readonly<Record<string, string>> = {
  "nothing but keys": filled((i) => `k${i}: 1\n`),
  "one key repeated": filled(() => "a:\n"),
  "deep flow lists": "[".repeat(size),
  "deep flow maps": "{a:".repeat(size / 3),
  "lists in lists on one line": "- ".repeat(size / 2),
  "keys in keys": "? ".repeat(size / 2),
  "ever deeper blocks": filled((i) => `${" ".repeat(i)}a:\n`).slice(0, 100_000),
  "a long flow list": `[${filled(() => "a,")}`,
  "bad indentation": filled((i) => (i % 2 ? " a: 1\n" : "  b: 2\n")),
  "many anchors": filled((i) => `- &a${i} x\n`),
  "an alias bomb": `a: &a [x,x]\n${filled((i) => `b${i}: &b${i} [*a,*a]\n`)}`,
  "one alias": "a: &a x\nb: *a",
  tags: filled((i) => `- !t${i} x\n`),
  "a tag": "a: !!binary aGVsbG8=",
  "an old YAML version": "%YAML 1.1\n---\na: 2001-01-01",
  documents: filled(() => "---\n"),
  quotes: filled(() => '"'),
  "bad escapes": filled(() => '- "a\\x"\n'),
  commas: `[${filled(() => ",")}`,
  "closing brackets": "]".repeat(size),
  "empty lists": "[]".repeat(size / 2),
  "line ends": "\n".repeat(size),
  comments: filled(() => "#\n"),
  "the parser's own marks": "a: \u001f\u0002\u0018",
  "a zero byte": "a: \u0000",
  "the number NaN": "a: .nan",
  "a key that is a list": "? [a]\n: b",
};

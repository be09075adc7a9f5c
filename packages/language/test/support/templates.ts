import fc from "fast-check";
import type { ModelValue } from "./template-values.ts";

/**
 * A prompt as a tree that needs no parsing: `expectedText` computes its text from this tree, and `writePiece` writes it
 * as an author would.
 */
export type Piece =
  | { kind: "text"; text: string }
  | { kind: "value"; name: string; raw: string }
  | { kind: "include"; raw: string; pieces: Piece[] }
  | { kind: "choice"; branches: Array<{ condition: ModelCondition; pieces: Piece[] }>; otherwise?: Piece[] };

export type ModelCondition = { raw: string; name: string } & (
  | { not: boolean }
  | { operator: "==" | "!="; text: string }
);

/** Names that a template may use, including those of object prototypes. */
export const names = ["A", "B", "USER_MESSAGE", "CONSTRUCTOR", "TOSTRING", "P0"] as const;

/** Look like placeholders, but stay unchanged for all values. */
const lookalikes = [
  "{{lower}}",
  "{{__proto__}}",
  "{{constructor}}",
  "{{toString}}",
  "{{hasOwnProperty}}",
  "{{}}",
  "{{ }}",
  "{{#each A}}",
  "{{A.B}}",
  "{{A B}}",
  "{{{A.B}}}",
  "{A}",
  "{{",
  "}",
  "$&",
  "$1",
  "<%= A %>",
  "\n\n",
  "\r\n",
];

/** Text that contains no tag and cannot form one next to a tag. */
const plainText = fc
  .array(fc.oneof(fc.constantFrom(...lookalikes), fc.string({ unit: "grapheme" }).map(withoutBraces)), {
    maxLength: 4,
  })
  .map((parts) => parts.join(""))
  .filter((text) => [...text.matchAll(/\{\{([^{}]*)\}\}/g)].every(([tag]) => lookalikes.includes(tag)));

const name = fc.constantFrom(...names);
const space = fc.constantFrom("", " ", "  ");

const condition: fc.Arbitrary<ModelCondition> = fc.oneof(
  fc.tuple(name, fc.boolean()).map(([it, not]) => ({ raw: `${not ? "!" : ""}${it}`, name: it, not })),
  fc
    .tuple(
      name,
      fc.constantFrom("==" as const, "!=" as const),
      fc.oneof(fc.constantFrom("", "x", "0", "false", "NONE", "$&"), fc.string().map(withoutBraces)),
      space,
    )
    .map(([it, operator, text, gap]) => ({
      raw: `${it}${gap}${operator}${gap}"${text}"`,
      name: it,
      operator,
      text,
    })),
);

/** A prompt with nested conditionals and nested includes. */
export const templates: fc.Arbitrary<Piece[]> = fc.letrec<{ pieces: Piece[]; piece: Piece }>((tie) => ({
  pieces: fc.array(tie("piece"), { maxLength: 5 }).map(joinTexts),
  piece: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    plainText.map((text) => ({ kind: "text" as const, text })),
    fc
      .tuple(name, space)
      .map(([it, gap]) => ({ kind: "value" as const, name: it, raw: `{{${gap}${it}${gap}}}` })),
    fc
      .tuple(fc.constantFrom("", ".md"), tie("pieces"))
      .map(([suffix, pieces]) => ({ kind: "include" as const, raw: suffix, pieces })),
    fc.record(
      {
        kind: fc.constant("choice" as const),
        branches: fc.array(fc.record({ condition, pieces: tie("pieces") }), { minLength: 1, maxLength: 3 }),
        otherwise: tie("pieces"),
      },
      { requiredKeys: ["kind", "branches"] },
    ),
  ),
})).pieces;

/** The expected text of a template with these values; `values` contains only mapped names. */
export function expectedText(pieces: readonly Piece[], values: ReadonlyMap<string, ModelValue>): string {
  return joined(pieces.map((piece) => expectedPiece(piece, values)));
}

function expectedPiece(piece: Piece, values: ReadonlyMap<string, ModelValue>): string {
  if (piece.kind === "text") return piece.text;
  if (piece.kind === "value") return values.get(piece.name)?.text ?? piece.raw;
  if (piece.kind === "include") return expectedText(piece.pieces, values);
  const chosen = piece.branches.find(({ condition }) => holds(condition, values));
  return expectedText(chosen?.pieces ?? piece.otherwise ?? [], values);
}

function holds(condition: ModelCondition, values: ReadonlyMap<string, ModelValue>): boolean {
  const value = values.get(condition.name);
  if ("not" in condition) return (value?.falsy ?? true) === condition.not;
  return (value?.text === condition.text) === (condition.operator === "==");
}

/** The prompts of a tree: `it` is the root, `p0`, `p1`, … are its includes. */
export function writePrompts(pieces: readonly Piece[]): Array<{ name: string; content: string }> {
  const prompts: Array<{ name: string; content: string }> = [];
  const write = (all: readonly Piece[]): string => joined(all.map(writePiece));
  const writePiece = (piece: Piece): string => {
    if (piece.kind === "text") return piece.text;
    if (piece.kind === "value") return piece.raw;
    if (piece.kind === "choice") return writeChoice(piece);
    const content = write(piece.pieces);
    const own = `p${prompts.length}`;
    prompts.push({ name: own, content });
    return `{{@${own}${piece.raw}}}`;
  };
  const writeChoice = ({ branches, otherwise }: Extract<Piece, { kind: "choice" }>): string => {
    const arms = branches.map(({ condition: { raw }, pieces: body }, index) => {
      return `{{${index === 0 ? "#if" : "else if"} ${raw}}}${write(body)}`;
    });
    return `${joined(arms)}${otherwise === undefined ? "" : `{{else}}${write(otherwise)}`}{{/if}}`;
  };
  const content = write(pieces);
  return [...prompts, { name: "it", content }];
}

/** Two adjacent texts could form a tag that neither contains. */
function joinTexts(pieces: readonly Piece[]): Piece[] {
  return pieces.filter((piece, index) => piece.kind !== "text" || pieces[index - 1]?.kind !== "text");
}

function withoutBraces(text: string): string {
  return text.replace(/[{}"]/g, "");
}

function joined(parts: readonly string[]): string {
  return parts.join("");
}

import fc from "fast-check";
import { findUnreadable } from "../../src/source.ts";

export const hostilePieces: readonly [string, ...string[]] = [
  "off",
  ..."yes no true null ~ 12 0o17 1e3 .nan .5 << = - ? : # & * ! | > ' \" % @ ` , [ ] { } --- ...".split(" "),
  ": ",
  " #",
  "- ",
  "? ",
  "\n",
  "\n\n",
  "\r\n",
  "\t",
  " ",
  "  ",
  "\\",
  "\\n",
  "!!binary ",
  "%YAML 1.1",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\ufeff",
  "世界",
  "👋🏽",
  "word",
  "A",
  "__proto__",
  "constructor",
  "{{A}}",
  "{{#if A}}",
  "x".repeat(200),
];

/** Texts that YAML, templates or JavaScript could mistake for something else. */
export const hostileStrings: fc.Arbitrary<string> = fc
  .oneof(
    fc.array(fc.constantFrom(...hostilePieces), { maxLength: 6 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.string({ maxLength: 20 }),
  )
  .filter((text) => findUnreadable(text) < 0);

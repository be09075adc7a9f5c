const others = /[^\0-\x7f]/g;
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * A bundled file with escapes instead of all characters outside of ASCII, and its source map. Node decodes ASCII faster and
 * keeps it in half the memory: one letter of another kind makes it store the whole file with two bytes a character.
 */
export function plainAscii(code, map) {
  const segments = map.mappings.split(";");
  const lines = code.split("\n").map((line, index) => {
    if (line.search(others) === -1) return line;
    segments[index] = shifted(segments[index] ?? "", line);
    return line.replace(others, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  });
  return { code: lines.join("\n"), map: { ...map, mappings: segments.join(";") } };
}

/** The segments of a line, each of which begins with its distance from the one before. An escape is 5 longer than its character. */
function shifted(segments, line) {
  const columns = [...line.matchAll(others)].map(({ index }) => index);
  let column = 0;
  return segments
    .split(",")
    .map((segment) => {
      const { value, length } = firstNumber(segment);
      column += value;
      let passed = 0;
      while (columns[0] < column) passed += columns.splice(0, 1).length;
      return numberText(value + 5 * passed) + segment.slice(length);
    })
    .join(",");
}

/** Numbers are written in groups of five bits, the lowest first. The lowest bit of all is the sign, which columns do not need. */
function firstNumber(segment) {
  const length = [...segment].findIndex((digit) => digits.indexOf(digit) < 32) + 1;
  const bits = [...segment.slice(0, length)].reduceRight(
    (sum, digit) => sum * 32 + (digits.indexOf(digit) % 32),
    0,
  );
  return { value: bits / 2, length };
}

function numberText(value) {
  let [bits, text] = [value * 2, ""];
  for (; bits >= 32; bits = Math.floor(bits / 32)) text += digits[32 + (bits % 32)];
  return text + digits[bits];
}

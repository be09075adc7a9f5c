const maxLength = 80;

/** The first words of a message, each of them whole unless there is only one. */
export function titleOf(text: string): string {
  const words = text
    .slice(0, 1_000)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (words.length <= maxLength) return words;
  return `${words
    .slice(0, maxLength - 1)
    .toWellFormed()
    .replace(/ \S*$/, "")}…`;
}

/** Hues of the terminal's palette that differ from each other. */
const hues = [1, 2, 3, 4, 5, 6];

/** The initials of an agent on a colour that its id decides. */
export function Avatar({ id, name, isSmall = false }: { id: string; name: string; isSmall?: boolean }) {
  const sum = [...id].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 9973, 7);
  const hue = hues[sum % hues.length];
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-full font-semibold ${isSmall ? "size-7 text-small" : "size-10 text-table"}`}
      style={{ background: `color-mix(in srgb, var(--ansi-${hue}) 30%, var(--panel))` }}
    >
      {initialsOf(name)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const [first = "", last = ""] = [words[0], words.length > 1 ? words.at(-1) : words[0]?.slice(1)];
  return `${[...first][0] ?? "?"}${[...last][0] ?? ""}`.toUpperCase();
}

export function Projects() {
  return <p>…</p>;
}

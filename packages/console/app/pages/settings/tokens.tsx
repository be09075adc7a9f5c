export function Tokens() {
  return <p>…</p>;
}

export function Limits() {
  return <p>…</p>;
}

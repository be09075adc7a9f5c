export function Providers() {
  return <p>…</p>;
}

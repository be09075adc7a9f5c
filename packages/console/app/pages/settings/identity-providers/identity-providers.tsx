export function IdentityProviders() {
  return <p>…</p>;
}

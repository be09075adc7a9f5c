/** The arguments of a call, as text: no answer can contain code. */
export function Values({ values }) {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return null;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

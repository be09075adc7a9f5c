/** Returns a function that gives `process.env` its present content again. */
export function keepEnvironment(): () => void {
  const kept = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(kept, name)) delete process.env[name];
    Object.assign(process.env, kept);
  };
}

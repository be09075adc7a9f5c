import type { Provider } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useCredential } from "../../frame/credential.ts";
import { Command } from "../../parts/copy.tsx";
import { ProviderStatus } from "../../parts/provider-status.tsx";

/** Which providers can be used, and what is wrong with the others. */
export function Providers({ providers }: { providers: readonly Provider[] }) {
  const { permissions } = useCredential();
  if (providers.length === 0) return null;
  const broken = providers.filter(({ status }) => status === "key_refused" || status === "unreachable");
  const hasKeys = providers.some(({ name, status }) => name !== "demo" && status !== "not_configured");
  return (
    <section aria-label="Providers" className="grid gap-3">
      <ul className="flex flex-wrap gap-2">
        {providers.map(({ name, status, message, projectKey }) => (
          <li
            key={name}
            title={message ?? undefined}
            className="flex items-center gap-2 rounded-card border border-line bg-panel px-3 py-1.5 text-table"
          >
            <span className="font-medium">{name}</span>
            <span className="text-muted">
              <ProviderStatus status={status} />
            </span>
            {projectKey && <span className="text-small text-muted">own key</span>}
          </li>
        ))}
      </ul>
      {broken.map(({ name, message }) => (
        <p key={name} className="text-table text-bad">
          {name}: {message}
        </p>
      ))}
      {!hasKeys && (
        <div className="grid items-center gap-x-4 gap-y-2 rounded-card border border-line bg-panel p-3 text-table md:grid-cols-2">
          <p>
            <span className="font-medium">No provider has a key yet.</span>{" "}
            <span className="text-muted">
              Only <code className="font-mono text-small">demo/echo</code> answers without one. Start the
              server with a key
              {permissions.includes("admin") && (
                <>
                  , or{" "}
                  <Link to="/settings/providers" className="text-accent underline">
                    set the project’s own
                  </Link>
                </>
              )}
              .
            </span>
          </p>
          <Command text="ANTHROPIC_API_KEY=sk-ant-… npm start" />
        </div>
      )}
    </section>
  );
}

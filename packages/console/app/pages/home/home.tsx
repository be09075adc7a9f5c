import type { HiredAgentList } from "@muster/client";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { useDefinedAgents } from "../../parts/use-agents.ts";
import { Changes } from "./changes.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { Numbers } from "./numbers.tsx";

/** Answers whether anything needs its reader. A new installation shows its first steps instead. */
export function Home() {
  const { permissions } = useCredential();
  const readsAgents = permissions.includes("agents") || permissions.includes("sessions");
  const { data, isPending } = useDefinedAgents();
  const hired = useApi<HiredAgentList>(
    permissions.includes("workforce") ? "/api/admin/workforce/agents" : null,
  );
  const isNew = data?.agents.length === 0 && !hired.isLoading && !hired.data?.agents.length;
  return (
    <Page title="Home">
      {readsAgents && isPending ? (
        <Reading />
      ) : isNew ? (
        <FirstSteps />
      ) : (
        <div className="mx-auto max-w-6xl">
          <Numbers />
          <div className="grid grid-cols-2 gap-6 max-lg:grid-cols-1">
            <Section title="Needs you">
              <NeedsYou />
            </Section>
            {permissions.includes("admin") && (
              <Section title="What changed">
                <Changes />
              </Section>
            )}
          </div>
        </div>
      )}
    </Page>
  );
}

function Reading() {
  return (
    <div className="mx-auto grid max-w-6xl gap-8">
      <Skeleton lines={4} size="h-28" className="grid-cols-4 gap-3 max-lg:grid-cols-2" />
      <Skeleton lines={2} size="h-64" className="grid-cols-2 gap-6 max-lg:grid-cols-1" />
    </div>
  );
}

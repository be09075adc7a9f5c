import type { Hook, HookList } from "@muster/client";
import { Plus } from "lucide-react";
import { useFilters } from "../../../frame/use-filters.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/empty.tsx";
import { List } from "../../../parts/list.tsx";
import { Split } from "../../../parts/split.tsx";
import { Status } from "../../../parts/status.tsx";
import { When } from "../../../parts/when.tsx";
import { hiredAgents, type OfAgent, type OfAgents, readOfAgents } from "../read-of-agents.ts";
import { CreateHook } from "./create-hook.tsx";
import { HookDetails, hookState } from "./hook-details.tsx";

const read = readOfAgents<HookList, Hook>("hooks", ({ hooks }) => hooks);

/** The hooks of all workforce agents. */
export function Hooks() {
  const [{ agent, hook }, setFilters] = useFilters("agent", "hook");
  const close = () => setFilters({ agent: undefined, hook: undefined });
  return (
    <Split
      details={
        hook === "new" ? (
          <CreateHook
            onClose={close}
            onDone={({ agentId, id }) => setFilters({ agent: agentId, hook: id })}
          />
        ) : (
          hook !== undefined &&
          agent !== undefined && <HookDetails key={hook} agentId={agent} hookId={hook} onClose={close} />
        )
      }
    >
      <div className="flex items-center gap-3">
        <p className="flex-1 text-muted">Addresses to which other systems post events for agents.</p>
        <Button
          look="primary"
          icon={<Plus size={14} aria-hidden="true" />}
          onClick={() => setFilters({ hook: "new", agent: undefined })}
        >
          New hook
        </Button>
      </div>
      <List<OfAgents<Hook>, OfAgent<Hook>>
        label="Hooks"
        path={`${hiredAgents}/:id/hooks`}
        read={read}
        rowsOf={({ rows }) => rows}
        keyOf={({ item }) => item.id}
        linkOf={({ agentId, item }) => ({
          to: "/automation/hooks",
          search: { agent: agentId, hook: item.id },
        })}
        columns={[
          { title: "Hook", cell: ({ item }) => item.name },
          { title: "Agent", cell: ({ agentName }) => agentName },
          { title: "Signed as", width: "9rem", cell: ({ item }) => item.verify.type },
          {
            ...{ title: "State", width: "6rem" },
            cell: ({ item }) => <Status state={hookState(item)} />,
          },
          { title: "Changed", width: "7rem", cell: ({ item }) => <When at={item.updatedAt} /> },
        ]}
        second={({ item, agentName }) => `${agentName} · ${hookState(item)} · ${item.verify.type}`}
        empty={
          <Empty
            title="No hook exists yet"
            reference="Hooks"
            command={
              'npx @muster/cli hooks create Lou --name "New issues" --verify github --secret-env GITHUB_SECRET --message "Triage {{ISSUE_TITLE}}"'
            }
          >
            A hook turns each event that another system posts, such as a push to a repository, into a task.
          </Empty>
        }
      />
    </Split>
  );
}

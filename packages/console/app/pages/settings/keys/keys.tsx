import type { Key, KeyList } from "@muster/client";
import { Plus } from "lucide-react";
import { useFilters } from "../../../frame/use-filters.ts";
import { Button } from "../../../parts/button.tsx";
import { List } from "../../../parts/list.tsx";
import { Split } from "../../../parts/split.tsx";
import { useAgentNames } from "../../../parts/use-agents.ts";
import { When } from "../../../parts/when.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeyDetails } from "./key-details.tsx";

/** The permission admin implies all of them. */
const permissionsOf = ({ permissions }: Key) =>
  permissions.includes("admin") ? "admin (everything)" : permissions.join(", ");

export function Keys() {
  const [{ key }, setFilters] = useFilters("key");
  const nameOf = useAgentNames();
  const close = () => setFilters({ key: undefined });
  const agentOf = ({ agentId }: Key) => (agentId === null ? "any" : nameOf(agentId));
  return (
    <Split
      details={
        key === "new" ? (
          <CreateKey onClose={close} />
        ) : (
          key !== undefined && <KeyDetails key={key} id={key} onClose={close} />
        )
      }
    >
      <div className="flex items-center gap-3">
        <p className="flex-1 text-muted">
          Programs and users log in with keys. A key may do what its permissions allow.
        </p>
        <Button
          look="primary"
          icon={<Plus size={14} aria-hidden="true" />}
          onClick={() => setFilters({ key: "new" })}
        >
          New key
        </Button>
      </div>
      <List<KeyList, Key>
        label="Keys"
        path="/api/admin/keys"
        rowsOf={({ keys }) => keys}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/settings/keys", search: { key: id } })}
        columns={[
          { title: "Key", cell: ({ name }) => name },
          { title: "Permissions", cell: permissionsOf },
          ...(key === undefined ? [{ title: "Agent", width: "10rem", cell: agentOf }] : []),
          { title: "Last use", width: "7rem", cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
          ...(key === undefined
            ? [{ title: "Expires", width: "7rem", cell: (row: Key) => <Expiry at={row.expiresAt} /> }]
            : []),
        ]}
        second={(row) => (
          <>
            {row.agentId !== null && `${agentOf(row)} · `}
            {row.lastUsedAt === null ? (
              "never used"
            ) : (
              <>
                used <When at={row.lastUsedAt} />
              </>
            )}{" "}
            · {permissionsOf(row)}
          </>
        )}
      />
    </Split>
  );
}

function Expiry({ at }: { at: string | null }) {
  return at === null ? <span className="text-muted">never</span> : <When at={at} />;
}

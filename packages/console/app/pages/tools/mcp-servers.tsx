import type { McpServer, McpServerList } from "@muster/client";
import { Plus } from "lucide-react";
import { useFilters } from "../../frame/use-filters.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { Split } from "../../parts/split.tsx";
import { Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { CreateMcpServer } from "./create-mcp-server.tsx";
import { McpServerDetails } from "./mcp-server-details.tsx";

const stateOf = ({ enabled }: McpServer) => (enabled ? "enabled" : "disabled");

export function McpServers() {
  const [{ server }, setFilters] = useFilters("server");
  const close = () => setFilters({ server: undefined });
  return (
    <Split
      details={
        server === "new" ? (
          <CreateMcpServer onClose={close} onCreated={({ id }) => setFilters({ server: id })} />
        ) : (
          server !== undefined && <McpServerDetails key={server} id={server} onClose={close} />
        )
      }
    >
      <div className="flex items-center gap-3">
        <p className="flex-1 text-muted">
          Servers of the Model Context Protocol. Definitions name one with <code>source: remote</code>.
        </p>
        <Button
          look="primary"
          icon={<Plus size={14} aria-hidden="true" />}
          onClick={() => setFilters({ server: "new" })}
        >
          New server
        </Button>
      </div>
      <List<McpServerList, McpServer>
        label="MCP servers"
        path="/api/admin/mcp-servers"
        rowsOf={({ mcpServers }) => mcpServers}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/tools", search: { server: id } })}
        columns={[
          { title: "Server", cell: ({ slug }) => slug },
          { title: "Address", width: "minmax(0, 2fr)", cell: ({ url }) => url },
          ...(server === undefined
            ? [{ title: "Authentication", width: "9rem", cell: ({ auth }: McpServer) => auth.type }]
            : []),
          {
            ...{ title: "State", width: "6.5rem" },
            cell: (row) => <Status state={stateOf(row)} tone={row.enabled ? "good" : "muted"} />,
          },
          { title: "Changed", width: "7rem", cell: ({ updatedAt }) => <When at={updatedAt} /> },
        ]}
        second={(row) => `${stateOf(row)} · ${row.url}`}
        empty={
          <Empty
            title="No MCP server is registered"
            reference="Administration"
            command="npx @muster/cli mcp add github https://mcp.example.com/mcp"
          >
            Agents can call the tools of any MCP server that you register here. The platform keeps its
            credentials.
          </Empty>
        }
      />
    </Split>
  );
}

import type { McpServer, McpServerList } from "@muster/client";
import { route } from "../../api.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Id } from "../../parts/copy.tsx";
import { Edited } from "../../parts/edited.tsx";
import { Form } from "../../parts/form.tsx";
import { ItemPanel } from "../../parts/item-panel.tsx";
import { Facts } from "../../parts/page.tsx";
import { storedItem } from "../../parts/stored-item.ts";
import { When } from "../../parts/when.tsx";
import { authIn, McpAuthFields } from "./mcp-auth-fields.tsx";
import { mcpServerFields, settingsIn } from "./mcp-server-fields.tsx";
import { TestMcpServer } from "./test-mcp-server.tsx";

const address = "/api/admin/mcp-servers";

export function McpServerDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const { save, remove } = storedItem<McpServer>(address, route`/api/admin/mcp-servers/${id}`, onClose);
  return (
    <ItemPanel<McpServerList, McpServer>
      path={address}
      find={({ mcpServers }) => mcpServers.find((server) => server.id === id)}
      kind="MCP server"
      titleOf={({ slug }) => slug}
      onClose={onClose}
    >
      {(server) => (
        <>
          <Facts
            rows={[
              ["Id", <Id key="id" id={server.id} />],
              ["Created", <When key="created" at={server.createdAt} />],
              ...(server.managed ? [["Managed by", "muster apply, which undoes changes"] as const] : []),
            ]}
          />
          <TestMcpServer id={id} />
          <Edited item={server}>
            {(edited, saved) => (
              <Form
                label="Save"
                look="plain"
                save={(values) => save(edited, { ...settingsIn(values), auth: authIn(values) })}
                onSaved={saved}
                beside={
                  <Confirm
                    label="Delete"
                    title={`Delete ${server.slug}?`}
                    name={server.slug}
                    onConfirm={remove}
                  >
                    Agents that name it can no longer call its tools, and its credentials are lost.
                  </Confirm>
                }
              >
                {(at) => (
                  <>
                    {mcpServerFields(at, edited)}
                    <McpAuthFields {...at("auth.type")} stored={edited.auth} />
                  </>
                )}
              </Form>
            )}
          </Edited>
        </>
      )}
    </ItemPanel>
  );
}

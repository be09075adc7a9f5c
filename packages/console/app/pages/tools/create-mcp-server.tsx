import type { McpServer } from "@muster/client";
import { muster, refresh } from "../../api.ts";
import { TextField } from "../../parts/field.tsx";
import { Form, textIn } from "../../parts/form.tsx";
import { Panel } from "../../parts/split.tsx";
import { authIn, McpAuthFields } from "./mcp-auth-fields.tsx";
import { mcpServerFields, settingsIn } from "./mcp-server-fields.tsx";

interface Props {
  onClose: () => void;
  onCreated: (server: McpServer) => void;
}

export function CreateMcpServer({ onClose, onCreated }: Props) {
  const save = async (values: FormData) => {
    const server = await muster.request<McpServer>("POST", "/api/admin/mcp-servers", {
      body: { slug: textIn(values, "slug") ?? "", ...settingsIn(values), auth: authIn(values) },
    });
    await refresh("/api/admin/mcp-servers", "/api/admin/audit");
    return server;
  };
  return (
    <Panel title="New MCP server" onClose={onClose}>
      <Form label="Register the server" save={save} onSaved={onCreated}>
        {(at) => (
          <>
            <TextField
              label="Slug"
              hint="Its name in definitions, such as github. It never changes."
              autoComplete="off"
              {...at("slug")}
            />
            {mcpServerFields(at)}
            <McpAuthFields {...at("auth.type")} />
          </>
        )}
      </Form>
    </Panel>
  );
}

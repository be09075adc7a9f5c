import type { ComputerTokenList, CreatedComputerToken } from "@muster/client";
import { muster, route, useApi } from "../../api.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Secret } from "../../parts/secret.tsx";
import { CredentialTable } from "./credential-table.tsx";

/** The tokens with which a machine dials in. `id`: of the computer, or of the agent whose own it is. */
export function ComputerTokens({ id, kind }: { id: string; kind: string }) {
  const path = route`/api/admin/computers/${id}/tokens`;
  const { data, error, refetch } = useApi<ComputerTokenList>(path);
  if (data === undefined)
    return error === null ? <Skeleton lines={3} /> : <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <p className="mb-4 max-w-3xl text-table text-muted">
        The machine connects by a command with a token, which opens this connection and nothing else.
      </p>
      <CredentialTable<CreatedComputerToken>
        kind="token"
        rows={data.tokens}
        path={path}
        onCreate={(name) => muster.request("POST", path, { body: { name } })}
        onRevoke={(tokenId) => muster.request("DELETE", `${path}/${tokenId}`)}
        created={({ token }) => (
          <Secret
            name="the command for the machine, with its new token,"
            text={`export MUSTER_COMPUTER_TOKEN=${token}\nnpx @muster/platform-computer connect --url ${location.origin} --dir ~/agents-work${kind === "cli" ? " --approve" : ""}`}
          />
        )}
      />
    </>
  );
}

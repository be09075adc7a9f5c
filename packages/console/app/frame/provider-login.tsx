import type { LoginWays } from "@muster/client";
import { useQuery } from "@tanstack/react-query";
import { muster } from "../api.ts";
import { buttonShape } from "../parts/button.tsx";

/** Why the identity provider's login has failed, and the remedy. */
const reasons: Readonly<Record<string, string>> = {
  denied: "The identity provider did not let you in. Try again, or ask its administrator.",
  expired: "The login took too long, or was begun in another window. Log in again.",
  "no-grant":
    "You are known to the identity provider, but nothing grants you access to this server. Ask its operator for a grant in CONSOLE_OIDC_GRANTS.",
  "no-project":
    "Your grant is for a project that does not exist. Ask the operator of this server to correct CONSOLE_OIDC_GRANTS.",
  unreachable:
    "The identity provider cannot be reached, or did not answer as expected. Try again, or log in with an API key; the server's log says why.",
};

/** The identity provider of the server. Null: there is none; undefined: not known yet. */
export function useProvider(): LoginWays["oidc"] | undefined {
  const { data } = useQuery({
    queryKey: ["/api/logins/ways"],
    queryFn: ({ signal }) => muster.request<LoginWays>("GET", "/api/logins/ways", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.oidc;
}

/** Leads to the identity provider, and from there to this page again. */
export function ProviderLogin({ name }: { name: string }) {
  const here = new URL(location.href);
  const reason = reasons[here.searchParams.get("login") ?? ""];
  here.searchParams.delete("login");
  const to = encodeURIComponent(`${here.pathname}${here.search}${here.hash}`);
  return (
    <>
      {reason !== undefined && (
        <p role="alert" className="text-table text-bad">
          {reason}
        </p>
      )}
      <a
        href={`/api/logins/oidc?to=${to}`}
        className={`${buttonShape} primary border-transparent text-white`}
      >
        Log in with {name}
      </a>
      <p className="text-center text-small text-muted">or with an API key</p>
    </>
  );
}

import assert from "node:assert/strict";
import { AuthService } from "@muster/proto/auth";
import { EchoService } from "@muster/proto/testing";
import { test } from "vitest";
import { serviceConfig } from "./service-config.ts";

const balancing = { round_robin: {} };

test("the retry policy covers exactly the unary methods that are safe to repeat and the streams that change nothing", () => {
  const names = serviceConfig([EchoService, AuthService], balancing).methodConfig.flatMap(({ name }) => name);
  assert.deepEqual(
    names.map(({ method }) => method),
    [
      "Echo",
      "Count",
      "Authenticate",
      "ListApiKeys",
      "UpdateApiKey",
      "DeleteApiKey",
      "RevokeToken",
      "DeleteLogin",
      "ListProjects",
      "UpdateProject",
      "GetProjectLimits",
      "SetProviderKey",
      "ListProviderKeys",
      "DeleteProviderKey",
      "ResolveProviderKeys",
      "ListIdentityProviders",
      "GetIdentityProvider",
      "UpdateIdentityProvider",
      "DeleteIdentityProvider",
      "ListMcpServers",
      "GetMcpServer",
      "ListMcpServerSlugs",
      "UpdateMcpServer",
      "DeleteMcpServer",
      "SetToolSecret",
      "ListToolSecrets",
      "DeleteToolSecret",
    ],
  );
});

test("a service without repeatable methods has no retry policy", () => {
  assert.deepEqual(serviceConfig([], balancing).methodConfig, []);
});

/** The parameters of every operation that needs a key, by the name of their component. */
export const sharedParameters = {
  ProjectId: {
    name: "X-Project-Id",
    in: "header",
    required: false,
    schema: { type: "string" },
    description:
      "The project of the request. Only the bootstrap key may name another project than its own. Default: the key's.",
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 128 },
    description: "Your own id of the request, printable ASCII. The response and every log line repeat it.",
  },
};

import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport, type UnaryResponse } from "@connectrpc/connect";
import { type CallContext, defaultUnaryTimeoutMs, effectiveTimeout } from "./call-context.ts";
import { notCarried, onlyMessage } from "./client.ts";
import {
  admit,
  answerFor,
  callStartMs,
  countCall,
  type Handling,
  type Mounted,
  type MountedMethod,
  outputOf,
} from "./handling.ts";
import { type LocalCall, LocalContext, LocalStream } from "./in-process-stream.ts";
import { Requests } from "./requests.ts";

/**
 * A transport that calls the handlers of this process directly: the same principal checks, deadlines,
 * cancellation and responses as over gRPC, but messages are passed as the same objects, without a copy. So neither
 * side may change a message that it has sent or received. A stream is pulled at its reader's pace.
 */
export function createInProcessTransport(services: readonly Mounted[], handling: Handling): Transport {
  const methods = new Map(services.flatMap((mounted) => [...mounted.methods]));
  return {
    async unary(method, signal, timeoutMs, header, message) {
      const timeout = effectiveTimeout(timeoutMs, defaultUnaryTimeoutMs);
      const call = { method, header, signal, timeoutMs: timeout };
      return await callUnary(handling, methods.get(method), method, call, message);
    },
    async stream(method, signal, timeoutMs, header, input) {
      if (method.methodKind === "client_streaming") throw notCarried();
      const call = { method, header, signal, timeoutMs: effectiveTimeout(timeoutMs, undefined) };
      const mounted = methods.get(method);
      if (mounted?.kind === "bidi_streaming") {
        return new LocalStream(handling, mounted, method, call, (context) =>
          mounted.impl(new Requests(input, context, (message) => create(method.input, message)), context),
        );
      }
      const message = create(method.input, await onlyMessage(input));
      if (mounted?.kind !== "server_streaming") throw notMounted(method);
      return new LocalStream(handling, mounted, method, call, (context) => mounted.impl(message, context));
    },
  };
}

function callUnary<I extends DescMessage, O extends DescMessage>(
  handling: Handling,
  mounted: MountedMethod | undefined,
  method: DescMethodUnary<I, O>,
  call: LocalCall,
  message: MessageInitShape<I>,
): Promise<UnaryResponse<I, O>> {
  const startMs = callStartMs(handling);
  const local = new LocalContext(call);
  return new Promise((resolve, reject) => {
    local.context.onAbort((reason) => {
      local.close();
      reject(local.failure(reason));
    });
    runUnary(handling, mounted, method, local, message)
      .then(
        (response) => {
          countCall(handling, local.context, startMs, undefined);
          resolve(response);
        },
        (thrown) => {
          const error = answerFor(handling, local.context, thrown);
          countCall(handling, local.context, startMs, error);
          reject(error);
        },
      )
      .finally(() => local.close());
  });
}

async function runUnary<I extends DescMessage, O extends DescMessage>(
  handling: Handling,
  mounted: MountedMethod | undefined,
  method: DescMethodUnary<I, O>,
  local: LocalContext,
  message: MessageInitShape<I>,
): Promise<UnaryResponse<I, O>> {
  const { context } = local;
  admit(handling, context, local.principal, local.requestId);
  if (mounted?.kind !== "unary") throw notMounted(method);
  const answer = await mounted.impl(create(method.input, message), context);
  return new LocalResponse(method, outputOf(method.output, mounted, answer), context);
}

function notMounted(method: DescMethod): ConnectError {
  return new ConnectError(`${method.parent.typeName}.${method.name} is not implemented`, Code.Unimplemented);
}

class LocalResponse<I extends DescMessage, O extends DescMessage> implements UnaryResponse<I, O> {
  readonly stream = false;
  readonly method: DescMethodUnary<I, O>;
  readonly message: MessageShape<O>;
  readonly #context: CallContext;

  constructor(method: DescMethodUnary<I, O>, message: MessageShape<O>, context: CallContext) {
    this.method = method;
    this.message = message;
    this.#context = context;
  }

  get service() {
    return this.method.parent;
  }

  get header(): Headers {
    return this.#context.responseHeader;
  }

  get trailer(): Headers {
    return this.#context.responseTrailer;
  }
}

import { Agent, Client, Pool, type buildConnector, type Dispatcher } from 'undici';

/** For modules that import this module dynamically, so that a process loads undici only when it needs it. */
export { buildConnector } from 'undici';

/** Opens a connection for one call. @param signal of the call: once aborted, the connection is no longer needed. */
export type ConnectFor = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  signal: AbortSignal,
) => void;

/** The options of undici's `dispatch`, with the signal of the call. */
export interface CallOptions extends Dispatcher.DispatchOptions {
  /** Aborted when the call ends early, such as at its deadline. */
  signal: AbortSignal;
}

/**
 * An agent that runs one call at a time on a connection, and connects only for calls. undici's own agent connects again after a
 * call was aborted, because it assumes that the request was not sent. So after each timeout, the server would see a connection
 * without a request.
 */
export function createCallAgent(options: Agent.Options, connect: ConnectFor): Agent {
  return new Agent({
    ...options,
    pipelining: 1,
    factory: (origin, poolOptions) =>
      new Pool(origin, {
        ...poolOptions,
        factory: (_origin, clientOptions) => new CallClient(origin, clientOptions, connect),
      }),
  });
}

/** A client has at most one connection and one call at a time: the pool gives it the next call when the last one is over. */
class CallClient extends Client {
  private readonly call: { signal?: AbortSignal };

  constructor(origin: string | URL, options: Client.Options, connect: ConnectFor) {
    const call: CallClient['call'] = {};
    super(origin, {
      ...options,
      connect: (target, callback) => {
        const { signal } = call;
        if (signal && !signal.aborted) return connect(target, callback, signal);
        // Not at once: a client that gets the error while it is still connecting does not check its queue of calls again.
        queueMicrotask(() => callback(new Error('the call is over'), null));
      },
    });
    this.call = call;
  }

  override dispatch(options: CallOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.call.signal = options.signal;
    return super.dispatch(options, handler);
  }
}

import { Agent, Client, Pool, type buildConnector, type Dispatcher } from 'undici';

/** For those who load all of it at once, and late. */
export { buildConnector, request } from 'undici';

/** Opens a connection for one call. @param signal of the call: nobody waits for the connection once it is aborted. */
export type ConnectFor = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  signal: AbortSignal,
) => void;

/** What a call may be dispatched with besides undici's own options; `request` passes its `signal` on by itself. */
export interface CallOptions extends Dispatcher.DispatchOptions {
  /** Aborted when the call is over before its exchange is. */
  signal: AbortSignal;
}

/**
 * An agent whose calls each have a connection for themselves while they last, and which connects for nobody else. When
 * undici cuts off a connection, it takes the request for unsent and connects once more, only to find that nobody waits
 * for it: after each timeout the other side would see a connection that brings nothing.
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

/** One connection at most, and one call at a time: the pool gives a client the next when the last is over. */
class CallClient extends Client {
  private readonly call: { signal?: AbortSignal };

  constructor(origin: string | URL, options: Client.Options, connect: ConnectFor) {
    const call: CallClient['call'] = {};
    super(origin, {
      ...options,
      connect: (target, callback) => {
        const { signal } = call;
        if (signal && !signal.aborted) return connect(target, callback, signal);
        // In a turn of its own: a client that is told while it still asks would not look at its queue again.
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

/**
 * How long a fake server keeps a connection without requests. Node’s own five seconds may pass on a busy machine while the next
 * request is being sent, and the service would not know whether it arrived.
 */
export const KEEP_ALIVE_MS = 75_000;

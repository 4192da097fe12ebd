/**
 * How long servers of tests keep a connection without requests: longer than a suite uses none. Node’s own five seconds may pass on
 * a busy machine while the next request is being sent, and its sender would not know whether it arrived.
 */
export const KEEP_ALIVE_MS = 600_000;

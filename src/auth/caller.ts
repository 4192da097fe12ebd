import type { Request } from 'express';

/** The merchant that makes a request, and the key that authenticated it. */
export interface Caller {
  readonly apiKeyId: number;
  readonly merchantId: number;
  /** Whether the merchant's orders are bought in the sandbox. */
  readonly sandbox: boolean;
}

const CALLER = Symbol('caller');

/** The caller that {@link setCaller} put on a request, if any. */
export const callerOf = (request: Request): Caller | undefined => (request as { [CALLER]?: Caller })[CALLER];

export function setCaller(request: Request, caller: Caller): void {
  (request as { [CALLER]?: Caller })[CALLER] = caller;
}

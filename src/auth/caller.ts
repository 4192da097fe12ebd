import type { Request } from 'express';

/** Who calls: the merchant, and the key by which it was recognized. */
export interface Caller {
  readonly apiKeyId: number;
  readonly merchantId: number;
}

const CALLER = Symbol('caller');

/** The caller that {@link setCaller} put on a request, if any. */
export const callerOf = (request: Request): Caller | undefined => (request as { [CALLER]?: Caller })[CALLER];

export function setCaller(request: Request, caller: Caller): void {
  (request as { [CALLER]?: Caller })[CALLER] = caller;
}

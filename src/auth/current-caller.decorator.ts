import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { invalidApiKey } from './api-key-verifier.js';
import { callerOf, type Caller } from './caller.js';

/** The authenticated caller, as a controller's parameter. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const caller = callerOf(context.switchToHttp().getRequest<Request>());
  if (!caller) throw invalidApiKey();
  return caller;
});

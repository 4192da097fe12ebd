import { Injectable, type CanActivate, type ExecutionContext, SetMetadata, createParamDecorator } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { invalidApiKey } from './api-key-verifier.js';
import { callerOf, type Caller } from './caller.js';

const PUBLIC = 'public';

/** Opens a controller or route to callers without an API key. All other routes are closed. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);

/** Denies every route that is not `@Public()` to requests whose API key was not recognized. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const isPublic = this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()]);
    if (isPublic || callerOf(context.switchToHttp().getRequest<Request>())) return true;
    throw invalidApiKey();
  }
}

/** The authenticated caller, as a controller's parameter. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const caller = callerOf(context.switchToHttp().getRequest<Request>());
  if (!caller) throw invalidApiKey();
  return caller;
});

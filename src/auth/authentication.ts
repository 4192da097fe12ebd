import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../core/errors.js';
import { ApiKeyVerifier, type Caller } from './api-key-verifier.js';

const CALLER = Symbol('caller');
type AuthenticatedRequest = Request & { [CALLER]?: Caller };

const PUBLIC = 'public';

/** Opens a controller or route to callers without an API key; everything else is closed. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);

/** The authenticated caller, as a controller's parameter. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const caller = callerOf(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new AppError('UNAUTHORIZED', 'Invalid or missing API key');
  return caller;
});

/** The caller that authentication put on the request, if any. */
export const callerOf = (request: Request): Caller | undefined => (request as AuthenticatedRequest)[CALLER];

/**
 * Recognizes the caller before anything else of a request is looked at, its body's syntax and size included: a bad
 * key never learns whether a body or an id was valid.
 */
export const authenticate =
  (verifier: ApiKeyVerifier): RequestHandler =>
  (request: AuthenticatedRequest, _response, next) => {
    const header = request.headers['x-api-key'];
    verifier.verify(typeof header === 'string' ? header : undefined, request.ip).then((caller) => {
      request[CALLER] = caller;
      next();
    }, next);
  };

/** Denies every route that is not `@Public()` to requests that were not authenticated. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const isPublic = this.reflector.getAllAndOverride<boolean>(PUBLIC, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (isPublic || callerOf(context.switchToHttp().getRequest<Request>())) return true;
    throw new AppError('UNAUTHORIZED', 'Invalid or missing API key');
  }
}

import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { noSuchRoute } from '../core/http/exception.filter.js';
import { callerOf } from './caller.js';

/** Hides routes from merchants outside the sandbox: they get the answer of an unknown route. */
@Injectable()
export class SandboxGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (callerOf(request)?.sandbox) return true;
    throw noSuchRoute(request);
  }
}

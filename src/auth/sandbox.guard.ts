import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { noSuchRoute } from '../core/http/exception.filter.js';
import { callerOf } from './caller.js';

/** For routes that are there for sandbox merchants only: to others they are like any that does not exist. */
@Injectable()
export class SandboxGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (callerOf(request)?.sandbox) return true;
    throw noSuchRoute(request);
  }
}

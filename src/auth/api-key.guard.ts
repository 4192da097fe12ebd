import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { invalidApiKey } from './api-key-verifier.js';
import { callerOf } from './caller.js';
import { PUBLIC } from './public.decorator.js';

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

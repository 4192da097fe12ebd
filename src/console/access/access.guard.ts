import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../core/config.js';
import { AppError, refusal } from '../../core/errors.js';
import { callerOf } from './caller.js';
import { ACCESS, type Access } from './console-route.decorator.js';
import { assertMay, assertSecondFactor } from './permission.js';

/** Enforces the access that a route declares, mostly by @ConsoleRoute. A route that declares none is closed to all. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === undefined) throw new AppError('FORBIDDEN', 'This route is closed to everyone');
    if (access === 'anyone') return true;
    const caller = callerOf(context.switchToHttp().getRequest<Request>());
    if (!caller) throw new AppError('UNAUTHORIZED', 'Sign in first');
    if (access === 'half') return true;
    if (caller.session.awaits_code)
      throw refusal('UNAUTHORIZED', 'CODE_REQUIRED', 'session', 'Give the code of your second factor first');
    if (access === 'self') return true;
    assertSecondFactor(caller, this.config);
    if (access !== 'operator') assertMay(caller, access, this.config);
    return true;
  }
}

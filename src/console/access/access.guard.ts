import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../core/config.js';
import { AppError, type DetailCode } from '../../core/errors.js';
import { needsSecondFactor, rolesWith, type Permission } from '../../operators/roles.js';
import { callerOf, type Caller } from './caller.js';
import { ACCESS, type Access } from './console-route.decorator.js';

/** Lets those call a route whom its one declaration names. A route without one is nobody's. */
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
    if (access === undefined) throw new AppError('FORBIDDEN', 'Nobody may ask for this');
    if (access === 'anyone') return true;
    const caller = callerOf(context.switchToHttp().getRequest<Request>());
    if (!caller) throw new AppError('UNAUTHORIZED', 'Sign in first');
    if (access === 'half') return true;
    if (caller.session.awaits_code)
      throw refusal('UNAUTHORIZED', 'session', 'CODE_REQUIRED', 'Give the code of your second factor first');
    if (access !== 'operator') this.assertMay(caller, access);
    return true;
  }

  private assertMay(caller: Caller, permission: Permission): void {
    const { role, has_second_factor: hasSecondFactor } = caller.session;
    if (!hasSecondFactor && needsSecondFactor(role, this.config.console.requireSecondFactor)) {
      const message = 'Your role works with a second factor only: set one up first';
      throw refusal('FORBIDDEN', 'second_factor', 'SECOND_FACTOR_REQUIRED', message);
    }
    if (caller.may(permission)) return;
    const roles = rolesWith(permission).join(', ');
    const message = `This needs the permission ${permission}, which these roles have: ${roles}`;
    throw refusal('FORBIDDEN', permission, 'PERMISSION_REQUIRED', message);
  }
}

const refusal = (
  error: 'UNAUTHORIZED' | 'FORBIDDEN',
  field: string,
  code: DetailCode,
  message: string,
): AppError => new AppError(error, message, { details: [{ field, code, message }] });

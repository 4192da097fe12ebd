import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ConsoleActor, ConsoleRequest } from '../../audit-log/audit-log.js';
import type { Config } from '../../core/config.js';
import { AppError, refusal } from '../../core/errors.js';
import { requestIdOf } from '../../core/http/request-id.middleware.js';
import type { LiveSession } from '../../operators/operator-sessions.repository.js';
import { hasPermission, type Permission } from '../../operators/roles.js';

/** How long a code, a password or a company sign-in confirms further actions. */
const CONFIRMED_FOR_MS = 600_000;

export const isRecent = (at: Date): boolean => at.getTime() + CONFIRMED_FOR_MS > Date.now();

/** The operator who sends a request, with the role and state at that moment. */
export class Caller {
  private readonly request: ConsoleRequest;

  constructor(
    readonly session: Omit<LiveSession, 'id_hash'>,
    origin: Omit<ConsoleRequest, 'operatorId'>,
  ) {
    this.request = { operatorId: session.operator_id, ...origin };
  }

  get id(): number {
    return this.session.operator_id;
  }

  may(permission: Permission): boolean {
    return hasPermission(this.session.role, permission);
  }

  /** The operator as the audit log names it. @param idempotencyKey of a request that may be carried out only once. */
  actor(reason?: string, idempotencyKey?: string): ConsoleActor {
    const request = idempotencyKey === undefined ? this.request : { ...this.request, idempotencyKey };
    const actor = { operator: this.session.email, console: request };
    return reason === undefined ? actor : { ...actor, reason };
  }

  /** The moment until which actions need no confirmation; null if the next action needs a confirmation. */
  get confirmedUntil(): Date | null {
    const { confirmed_at: at } = this.session;
    return at && isRecent(at) ? new Date(at.getTime() + CONFIRMED_FOR_MS) : null;
  }

  /** The actor of an action that needs confirmation. @throws FORBIDDEN as {@link assertConfirmed}. */
  confirmedActor(reason?: string): ConsoleActor {
    this.assertConfirmed();
    return this.actor(reason);
  }

  /** @throws FORBIDDEN unless a code, a password or a company sign-in confirmed the operator within ten minutes. */
  assertConfirmed(): void {
    if (this.confirmedUntil) return;
    const message = 'Confirm with your code or password, and send this again';
    throw refusal('FORBIDDEN', 'CONFIRMATION_REQUIRED', 'session', message);
  }
}

/** Returns the operator of the session, even if the code of the second factor is still missing; null without a session. */
export function callerOf(request: Request): Caller | null {
  const { live } = request.session;
  return live ? new Caller(live, originOf(request)) : null;
}

export const originOf = (request: Request): Omit<ConsoleRequest, 'operatorId'> => ({
  ip: request.ip ?? '',
  requestId: requestIdOf(request),
});

/** The chosen time zone of an operator, or that of the console. */
export const timezoneOf = ({ timezone }: Pick<LiveSession, 'timezone'>, { console }: Config): string =>
  timezone ?? console.timezone;

/** The operator, as a controller's parameter. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const caller = callerOf(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new AppError('UNAUTHORIZED', 'Sign in first');
  return caller;
});

/** A request with its response, for code that reads and sets cookies. */
export interface Exchange {
  request: Request;
  response: Response;
}

/** The exchange, as a controller's parameter. */
export const CurrentExchange = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  const http = context.switchToHttp();
  return { request: http.getRequest<Request>(), response: http.getResponse<Response>() };
});

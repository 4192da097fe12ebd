import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { recordAction } from '../../audit-log/audit-log.js';
import { CONFIG, type Config } from '../../core/config.js';
import { AppError, notFound } from '../../core/errors.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import type { Operator } from '../../operators/operator.entity.js';
import { OperatorSessionsRepository } from '../../operators/operator-sessions.repository.js';
import { SignInService, type Origin } from '../../operators/sign-in.service.js';
import { callerOf, originOf, type Caller, type Exchange } from './caller.js';
import { DeviceCookie, cookieOptions, sessionCookieName } from './cookies.js';
import { closeSession, openSession } from './session.middleware.js';
import { SessionStore } from './session-store.js';
import type {
  ChangePasswordDto,
  ConfirmDto,
  OwnSessionDto,
  SessionDto,
  SignedOutDto,
  SignInDto,
} from './session.dto.js';
import { toOwnSessionDto, toSessionDto } from './session.mapper.js';

/** Signs operators in and out, confirms them, and lists and ends their sessions. */
@Injectable()
export class SessionsService {
  private readonly devices: DeviceCookie;

  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: OperatorSessionsRepository,
    private readonly store: SessionStore,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.devices = new DeviceCookie(config);
  }

  /** @throws UNAUTHORIZED */
  async signIn(exchange: Exchange, given: SignInDto): Promise<SessionDto> {
    const { operator, awaitsCode } = await this.signIns.withPassword(given, this.originOf(exchange.request));
    return this.open(exchange, operator, awaitsCode);
  }

  /** @throws UNAUTHORIZED; CONFLICT if the session needs no code. */
  async giveCode(exchange: Exchange, caller: Caller, code: string): Promise<SessionDto> {
    if (!caller.session.awaits_code) throw new AppError('CONFLICT', 'You are signed in: this session needs no code');
    const operator = await this.signIns.withCode(caller.id, code, this.originOf(exchange.request));
    return this.open(exchange, operator, false);
  }

  /** @throws UNAUTHORIZED; BAD_REQUEST */
  async confirm(request: Request, caller: Caller, { code, password }: ConfirmDto): Promise<SessionDto> {
    if ((code === undefined) === (password === undefined))
      throw new AppError('BAD_REQUEST', 'Give either the code or the password');
    const proof = code === undefined ? { password: password ?? '' } : { code };
    await this.signIns.confirm(caller.id, proof, this.originOf(request));
    const confirmed_at = await this.sessions.confirm(caller.session.id);
    return toSessionDto({ ...caller.session, confirmed_at }, this.config);
  }

  async signOut({ request, response }: Exchange): Promise<SignedOutDto> {
    const caller = callerOf(request);
    if (caller && !caller.session.awaits_code)
      await this.database.transaction((tx) =>
        recordAction(tx, caller.actor(), { action: 'session.end', detail: { own: true } }),
      );
    await closeSession(request);
    response.clearCookie(sessionCookieName(this.config), cookieOptions(this.config));
    return { state: 'signed_out' };
  }

  /**
   * Changes the password, ends all sessions and begins a new one for the caller. An operator with a second factor must also have
   * confirmed recently.
   * @throws FORBIDDEN; UNAUTHORIZED; BAD_REQUEST
   */
  async changePassword(
    exchange: Exchange,
    caller: Caller,
    { password, new_password: newPassword }: ChangePasswordDto,
  ): Promise<SessionDto> {
    if (caller.session.has_second_factor) caller.assertConfirmed();
    const change = { password, newPassword };
    const { access_version } = await this.signIns.changePassword(caller.id, change, this.originOf(exchange.request));
    return this.renew(exchange, caller, { accessVersion: access_version });
  }

  async list(caller: Caller, operatorId = caller.id): Promise<Page<OwnSessionDto>> {
    const found = await this.sessions.list(operatorId, this.config.console.idleMs);
    return { data: found.map((each) => toOwnSessionDto(each, caller.session.id)), next_cursor: null };
  }

  /** @throws NOT_FOUND for another operator's session. */
  async end(caller: Caller, id: number): Promise<Page<OwnSessionDto>> {
    await this.database.transaction(async (tx) => {
      if (!(await this.sessions.remove(tx, id, caller.id))) throw notFound('session');
      recordAction(tx, caller.actor(), { action: 'session.end', detail: { session: id } });
    });
    return this.list(caller);
  }

  /**
   * Begins a session.
   * @param awaitsCode whether the operator must still give the code of the second factor. Until then, the session opens
   * only routes with the access `half` or `anyone`.
   * @param confirmedAt the time of the operator's last proof of identity; null if a confirmation must ask for one.
   */
  async open(
    exchange: Exchange,
    operator: Operator,
    awaitsCode: boolean,
    confirmedAt: Date | null = awaitsCode ? null : new Date(),
  ): Promise<SessionDto> {
    const { id: operatorId, access_version: accessVersion } = operator;
    const opening = { operatorId, accessVersion, awaitsCode, confirmedAt };
    const session = await openSession(exchange.request, this.store, opening);
    if (!awaitsCode) this.devices.set(exchange.response, operator);
    return toSessionDto(session, this.config);
  }

  /**
   * Begins a new session for a caller whose sessions have just been ended.
   * @param changes members that differ from the old session's.
   */
  async renew(
    exchange: Exchange,
    { id, session }: Caller,
    changes: { accessVersion?: number; confirmedAt?: Date } = {},
  ): Promise<SessionDto> {
    const { access_version: accessVersion, confirmed_at: confirmedAt } = session;
    const opening = { operatorId: id, accessVersion, awaitsCode: false, confirmedAt, ...changes };
    const renewed = await openSession(exchange.request, this.store, opening);
    this.devices.set(exchange.response, { id, access_version: opening.accessVersion });
    return toSessionDto(renewed, this.config);
  }

  readonly originOf = (request: Request): Origin => ({ ...originOf(request), knownDevice: this.devices.read(request) });
}

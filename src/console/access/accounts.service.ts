import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { AppError, notFound } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import type { Page } from '../../core/pagination.js';
import type { Operator } from '../../operators/operator.entity.js';
import { OperatorSessionsRepository } from '../../operators/operator-sessions.repository.js';
import { OperatorsService, type Invited } from '../../operators/operators.service.js';
import type { Caller } from './caller.js';
import type { AccountDto, ChangeOperatorDto, InvitationDto, InviteDto } from './operator.dto.js';
import type { OwnSessionDto } from './session.dto.js';
import { toOwnSessionDto } from './session.mapper.js';

/** Administrators' view and changes of accounts. Every change needs confirmation, because it grants or removes access. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly operators: OperatorsService,
    private readonly sessions: OperatorSessionsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list(): Promise<Page<AccountDto>> {
    return { data: (await this.operators.list()).map(toAccountDto), next_cursor: null };
  }

  async show(id: number): Promise<AccountDto> {
    return toAccountDto(await this.operators.get(id));
  }

  /** @throws FORBIDDEN; BAD_REQUEST; CONFLICT where an operator has the address. */
  async invite(caller: Caller, given: InviteDto): Promise<InvitationDto> {
    return toInvitationDto(await this.operators.create(given, caller.confirmedActor()));
  }

  /** @throws FORBIDDEN; NOT_FOUND; BAD_REQUEST; CONFLICT for the last administrator, or where the role has changed. */
  async change(
    caller: Caller,
    id: number,
    { role, expected_role: expectedRole, active, reason }: ChangeOperatorDto,
  ): Promise<AccountDto> {
    if ((role === undefined) === (active === undefined))
      throw new AppError('BAD_REQUEST', 'Give either role or active');
    const by = caller.confirmedActor(reason);
    const email = await this.emailOf(id);
    if (role !== undefined) return toAccountDto(await this.operators.setRole(email, role, by, expectedRole));
    return toAccountDto(await (active ? this.operators.enable(email, by) : this.operators.disable(email, by)));
  }

  async reset(caller: Caller, id: number, reason: string | undefined): Promise<InvitationDto> {
    const by = caller.confirmedActor(reason);
    return toInvitationDto(await this.operators.reset(await this.emailOf(id), by));
  }

  /** @throws FORBIDDEN; NOT_FOUND; CONFLICT for a disabled account. */
  async allowCompany(caller: Caller, id: number, reason: string | undefined): Promise<AccountDto> {
    const by = caller.confirmedActor(reason);
    return toAccountDto(await this.operators.allowCompany(await this.emailOf(id), by));
  }

  async unlock(caller: Caller, id: number, reason: string | undefined): Promise<AccountDto> {
    const by = caller.confirmedActor(reason);
    return toAccountDto(await this.operators.unlock(await this.emailOf(id), by));
  }

  async listSessions(caller: Caller, id: number): Promise<Page<OwnSessionDto>> {
    await this.operators.get(id);
    const found = await this.sessions.list(id, this.config.console.idleMs);
    return { data: found.map((each) => toOwnSessionDto(each, caller.session.id)), next_cursor: null };
  }

  /** Ends one session or, without `sessionId`, all of them. @throws FORBIDDEN; NOT_FOUND for another operator's session. */
  async endSessions(caller: Caller, id: number, sessionId?: number): Promise<Page<OwnSessionDto>> {
    const by = caller.confirmedActor();
    const ended = await this.operators.endSessions(await this.emailOf(id), sessionId, by);
    if (ended === 0 && sessionId !== undefined) throw notFound('session');
    return this.listSessions(caller, id);
  }

  private async emailOf(id: number): Promise<string> {
    return (await this.operators.get(id)).email;
  }
}

const toInvitationDto = ({ operator, ...invitation }: Invited): InvitationDto => ({
  operator: toAccountDto(operator),
  ...invitation,
});

const toAccountDto = (operator: Operator): AccountDto => ({
  ...pick(operator, 'id', 'email', 'name', 'role', 'last_sign_in_at', 'created_at'),
  state: stateOf(operator),
  second_factor: operator.totp_sealed !== null,
  company_sign_in: operator.company_subject !== null,
  company_link_until: inFuture(operator.company_link_until),
  locked_until: laterOf(operator.locked_until, operator.known_device_locked_until),
  link_until: inFuture(operator.set_up_until),
});

function stateOf({ active, password_hash, company_subject }: Operator): AccountDto['state'] {
  if (!active) return 'disabled';
  return password_hash === null && company_subject === null ? 'invited' : 'active';
}

const inFuture = (moment: Date | null): Date | null => (moment && moment > new Date() ? moment : null);

/** Known and unknown browsers are locked separately. The account counts as locked while either lock lasts. */
function laterOf(one: Date | null, other: Date | null): Date | null {
  const [first, second] = [inFuture(one), inFuture(other)];
  return first && second ? (first > second ? first : second) : (first ?? second);
}

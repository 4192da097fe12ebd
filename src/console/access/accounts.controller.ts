import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { AppError, notFound } from '../../core/errors.js';
import { OperatorsService } from '../../operators/operators.service.js';
import { OptionalReasonDto } from '../reason.dto.js';
import { toAccountDto, toInvitationDto } from './account.mapper.js';
import { CurrentCaller, type Caller } from './caller.js';
import { ConsoleRoute } from './console-route.decorator.js';
import { AccountDto, ChangeOperatorDto, InvitationDto, InviteDto } from './operator.dto.js';
import { PathId } from './parameters.js';
import { OwnSessionDto } from './session.dto.js';
import { SessionsService } from './sessions.service.js';

const OperatorId = (): ParameterDecorator => PathId('operator');

/** Accounts, as administrators see and change them. Every change needs confirmation, because it grants or removes access. */
@ApiTags('Operators')
@Controller('api/operators')
export class AccountsController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly sessions: SessionsService,
  ) {}

  @Get()
  @ConsoleRoute('operators.manage', 'All accounts of the console', [AccountDto])
  async list(): Promise<Page<AccountDto>> {
    return { data: (await this.operators.list()).map(toAccountDto), next_cursor: null };
  }

  @Post()
  @ConsoleRoute(
    'operators.manage',
    'Invite an operator: makes a link that sets the password, once and within a day',
    InvitationDto,
    {
      description: 'Asks for confirmation. 409 if an operator already has the address.',
      status: 201,
    },
  )
  async invite(@CurrentCaller() caller: Caller, @Body() body: InviteDto): Promise<InvitationDto> {
    return toInvitationDto(await this.operators.create(body, caller.confirmedActor()));
  }

  @Get(':id')
  @ConsoleRoute('operators.manage', 'An account', AccountDto)
  async show(@OperatorId() id: number): Promise<AccountDto> {
    return toAccountDto(await this.operators.get(id));
  }

  @Patch(':id')
  @ConsoleRoute('operators.manage', 'Change the role of an operator, or disable or enable the account', AccountDto, {
    description: 'Applies from the operator’s next request on. Asks for confirmation. 409 for the last administrator.',
  })
  async change(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() { role, expected_role: expected, active, reason }: ChangeOperatorDto,
  ): Promise<AccountDto> {
    if ((role === undefined) === (active === undefined))
      throw new AppError('BAD_REQUEST', 'Give either role or active');
    const by = caller.confirmedActor(reason);
    if (role !== undefined) return toAccountDto(await this.operators.setRole(id, role, by, expected));
    return toAccountDto(await (active ? this.operators.enable(id, by) : this.operators.disable(id, by)));
  }

  @Post(':id/reset')
  @ConsoleRoute(
    'operators.manage',
    'Remove password, second factor and company link, end all sessions, unlock and enable the account, and make a new link',
    InvitationDto,
    { description: 'Asks for confirmation.' },
  )
  async reset(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() { reason }: OptionalReasonDto,
  ): Promise<InvitationDto> {
    return toInvitationDto(await this.operators.reset(id, caller.confirmedActor(reason)));
  }

  @Post(':id/unlock')
  @ConsoleRoute('operators.manage', 'Unlock an account after wrong passwords or codes', AccountDto, {
    description: 'Asks for confirmation.',
  })
  async unlock(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() { reason }: OptionalReasonDto,
  ): Promise<AccountDto> {
    return toAccountDto(await this.operators.unlock(id, caller.confirmedActor(reason)));
  }

  @Post(':id/company-sign-in')
  @ConsoleRoute(
    'operators.manage',
    'Link the account to the person who next signs in by company sign-in with the account’s verified address',
    AccountDto,
    {
      description: 'Works once, within a day. Asks for confirmation. 409 for a disabled account.',
    },
  )
  async allowCompany(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() { reason }: OptionalReasonDto,
  ): Promise<AccountDto> {
    return toAccountDto(await this.operators.allowCompany(id, caller.confirmedActor(reason)));
  }

  @Get(':id/sessions')
  @ConsoleRoute('sessions.manage', 'The sessions of an operator', [OwnSessionDto])
  async listSessions(@CurrentCaller() caller: Caller, @OperatorId() id: number): Promise<Page<OwnSessionDto>> {
    await this.operators.get(id);
    return this.sessions.list(caller, id);
  }

  @Delete(':id/sessions')
  @ConsoleRoute('sessions.manage', 'End all sessions of an operator', [OwnSessionDto], {
    description: 'Asks for confirmation.',
  })
  async endSessions(@CurrentCaller() caller: Caller, @OperatorId() id: number): Promise<Page<OwnSessionDto>> {
    await this.operators.endSessions(id, undefined, caller.confirmedActor());
    return this.sessions.list(caller, id);
  }

  @Delete(':id/sessions/:session')
  @ConsoleRoute('sessions.manage', 'End one session of an operator', [OwnSessionDto], {
    description: 'Asks for confirmation.',
  })
  async endSession(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @PathId('session', 'session') sessionId: number,
  ): Promise<Page<OwnSessionDto>> {
    const ended = await this.operators.endSessions(id, sessionId, caller.confirmedActor());
    if (ended === 0) throw notFound('session');
    return this.sessions.list(caller, id);
  }
}

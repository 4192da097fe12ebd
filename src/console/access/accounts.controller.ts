import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { AccountsService } from './accounts.service.js';
import { CurrentCaller, type Caller } from './caller.js';
import { ConsoleRoute } from './console-route.decorator.js';
import { AccountDto, ChangeOperatorDto, InvitationDto, InviteDto, OperatorReasonDto } from './operator.dto.js';
import { PathId } from './parameters.js';
import { OwnSessionDto } from './session.dto.js';

const OperatorId = (): ParameterDecorator => PathId('operator');

@ApiTags('Operators')
@Controller('api/operators')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  @ConsoleRoute('operators.manage', 'Everybody who has an account', [AccountDto])
  list(): Promise<Page<AccountDto>> {
    return this.accounts.list();
  }

  @Post()
  @ConsoleRoute(
    'operators.manage',
    'Invite an operator: makes a link that sets the password, once and within a day',
    InvitationDto,
    {
      description: 'Asks for confirmation. 409 where an operator has the address.',
      status: 201,
    },
  )
  invite(@CurrentCaller() caller: Caller, @Body() body: InviteDto): Promise<InvitationDto> {
    return this.accounts.invite(caller, body);
  }

  @Get(':id')
  @ConsoleRoute('operators.manage', 'An account', AccountDto)
  show(@OperatorId() id: number): Promise<AccountDto> {
    return this.accounts.show(id);
  }

  @Patch(':id')
  @ConsoleRoute('operators.manage', 'Give another role, disable or enable', AccountDto, {
    description: 'With the next request of theirs. Asks for confirmation. 409 for the last administrator.',
  })
  change(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() body: ChangeOperatorDto,
  ): Promise<AccountDto> {
    return this.accounts.change(caller, id, body);
  }

  @Post(':id/reset')
  @ConsoleRoute(
    'operators.manage',
    'Take password and second factor away, end every session, unlock, enable, and make a new link',
    InvitationDto,
    { description: 'Asks for confirmation.' },
  )
  reset(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() { reason }: OperatorReasonDto,
  ): Promise<InvitationDto> {
    return this.accounts.reset(caller, id, reason);
  }

  @Post(':id/unlock')
  @ConsoleRoute('operators.manage', 'Forget wrong passwords and codes', AccountDto, {
    description: 'Asks for confirmation.',
  })
  unlock(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() { reason }: OperatorReasonDto,
  ): Promise<AccountDto> {
    return this.accounts.unlock(caller, id, reason);
  }

  @Post(':id/company-sign-in')
  @ConsoleRoute(
    'operators.manage',
    'Let a person who signs in by company sign-in with the account’s verified address become its operator',
    AccountDto,
    {
      description: 'Within a day, once. Asks for confirmation. 409 for a disabled account.',
    },
  )
  allowCompany(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @Body() { reason }: OperatorReasonDto,
  ): Promise<AccountDto> {
    return this.accounts.allowCompany(caller, id, reason);
  }

  @Get(':id/sessions')
  @ConsoleRoute('sessions.manage', 'Where an operator is signed in', [OwnSessionDto])
  listSessions(@CurrentCaller() caller: Caller, @OperatorId() id: number): Promise<Page<OwnSessionDto>> {
    return this.accounts.listSessions(caller, id);
  }

  @Delete(':id/sessions')
  @ConsoleRoute('sessions.manage', 'Sign an operator out everywhere', [OwnSessionDto], {
    description: 'Asks for confirmation.',
  })
  endSessions(@CurrentCaller() caller: Caller, @OperatorId() id: number): Promise<Page<OwnSessionDto>> {
    return this.accounts.endSessions(caller, id);
  }

  @Delete(':id/sessions/:session')
  @ConsoleRoute('sessions.manage', 'Sign an operator out there', [OwnSessionDto], {
    description: 'Asks for confirmation.',
  })
  endSession(
    @CurrentCaller() caller: Caller,
    @OperatorId() id: number,
    @PathId('session', 'session') sessionId: number,
  ): Promise<Page<OwnSessionDto>> {
    return this.accounts.endSessions(caller, id, sessionId);
  }
}

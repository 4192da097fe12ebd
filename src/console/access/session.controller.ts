import { Body, Controller, Delete, Get, Inject, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../core/config.js';
import { pick } from '../../core/members.js';
import { OperatorsService } from '../../operators/operators.service.js';
import { CurrentCaller, CurrentExchange, originOf, type Caller, type Exchange } from './caller.js';
import { ConsoleRoute } from './console-route.decorator.js';
import {
  CodeDto,
  ConfirmDto,
  LinkDto,
  SessionDto,
  SetUpDoneDto,
  SetUpDto,
  SignedOutDto,
  SignInDto,
} from './session.dto.js';
import { toSessionDto } from './session.mapper.js';
import { SessionsService } from './sessions.service.js';

const GONE = '404 if the link was used or has expired.';

@ApiTags('Session')
@Controller('api')
export class SessionController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly operators: OperatorsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post('session')
  @ConsoleRoute('anyone', 'Sign in with address and password', SessionDto, {
    description:
      'If the operator has a second factor, `state` is `code_required`, and the code must follow. A refusal is 401 for every ' +
      'reason. More than ten requests a minute from one address are 429. The other steps of a ' +
      'sign-in count, too.',
  })
  signIn(@CurrentExchange() exchange: Exchange, @Body() body: SignInDto): Promise<SessionDto> {
    return this.sessions.signIn(exchange, body);
  }

  @Post('session/code')
  @ConsoleRoute('half', 'Give the code of the second factor', SessionDto)
  giveCode(
    @CurrentExchange() exchange: Exchange,
    @CurrentCaller() caller: Caller,
    @Body() { code }: CodeDto,
  ): Promise<SessionDto> {
    return this.sessions.giveCode(exchange, caller, code);
  }

  @Post('session/confirm')
  @ConsoleRoute(
    'self',
    'Confirm the session again with the code, or with the password if there is no second factor',
    SessionDto,
    {
      description: 'For the next ten minutes, no route answers `CONFIRMATION_REQUIRED`.',
    },
  )
  confirm(@Req() request: Request, @CurrentCaller() caller: Caller, @Body() body: ConfirmDto): Promise<SessionDto> {
    return this.sessions.confirm(request, caller, body);
  }

  @Get('session')
  @ConsoleRoute('half', 'Who am I, and what may I do?', SessionDto, {
    description: '401 if no operator is signed in.',
  })
  show(@CurrentCaller() { session }: Caller): SessionDto {
    return toSessionDto(session, this.config);
  }

  @Delete('session')
  @ConsoleRoute('anyone', 'Sign out', SignedOutDto)
  signOut(@CurrentExchange() exchange: Exchange): Promise<SignedOutDto> {
    return this.sessions.signOut(exchange);
  }

  @Post('set-up/account')
  @ConsoleRoute('anyone', 'The account whose password a link sets', SetUpDoneDto, { description: GONE })
  async account(@Body() { token }: LinkDto): Promise<SetUpDoneDto> {
    return pick(await this.operators.getByLink(token), 'email');
  }

  @Post('set-up')
  @ConsoleRoute('anyone', 'Set the password with a link, once', SetUpDoneDto, {
    description: `Does not sign in. ${GONE}`,
  })
  async setUp(@Req() request: Request, @Body() { token, password }: SetUpDto): Promise<SetUpDoneDto> {
    return pick(await this.operators.setUp(token, password, originOf(request)), 'email');
  }
}

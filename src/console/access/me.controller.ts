import { Body, Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, CurrentExchange, type Caller, type Exchange } from './caller.js';
import { ConsoleRoute } from './console-route.decorator.js';
import { PathId } from './parameters.js';
import {
  ChangeMeDto,
  ChangePasswordDto,
  CodeDto,
  MeDto,
  OwnSessionDto,
  RecoveryCodesDto,
  SecondFactorOfferDto,
  SessionDto,
} from './session.dto.js';
import { MeService } from './me.service.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Me')
@Controller('api/me')
export class MeController {
  constructor(
    private readonly me: MeService,
    private readonly sessions: SessionsService,
  ) {}

  @Get()
  @ConsoleRoute('operator', 'My account', MeDto)
  show(@CurrentCaller() caller: Caller): Promise<MeDto> {
    return this.me.show(caller);
  }

  @Patch()
  @ConsoleRoute('operator', 'Change my name, language or time zone', MeDto)
  change(@CurrentCaller() caller: Caller, @Body() body: ChangeMeDto): Promise<MeDto> {
    return this.me.change(caller, body);
  }

  @Post('password')
  @ConsoleRoute('operator', 'Change my password', SessionDto, {
    description: 'Ends all other sessions. Asks for confirmation if the operator has a second factor.',
  })
  changePassword(
    @CurrentExchange() exchange: Exchange,
    @CurrentCaller() caller: Caller,
    @Body() body: ChangePasswordDto,
  ): Promise<SessionDto> {
    return this.sessions.changePassword(exchange, caller, body);
  }

  @Post('second-factor')
  @ConsoleRoute('operator', 'Begin to set up a second factor, or a new one', SecondFactorOfferDto, {
    description: 'The new factor is valid once its code was given with PUT. Asks for confirmation.',
  })
  offerSecondFactor(@CurrentCaller() caller: Caller): Promise<SecondFactorOfferDto> {
    return this.me.offerSecondFactor(caller);
  }

  @Put('second-factor')
  @ConsoleRoute('operator', 'Complete the second factor with a code of the app', RecoveryCodesDto, {
    description: 'Asks for confirmation. Ends all other sessions.',
  })
  acceptSecondFactor(
    @CurrentExchange() exchange: Exchange,
    @CurrentCaller() caller: Caller,
    @Body() { code }: CodeDto,
  ): Promise<RecoveryCodesDto> {
    return this.me.acceptSecondFactor(exchange, caller, code);
  }

  @Delete('second-factor')
  @ConsoleRoute('operator', 'Remove my second factor', MeDto, {
    description: 'Asks for confirmation. Ends all other sessions.',
  })
  removeSecondFactor(@CurrentExchange() exchange: Exchange, @CurrentCaller() caller: Caller): Promise<MeDto> {
    return this.me.removeSecondFactor(exchange, caller);
  }

  @Get('sessions')
  @ConsoleRoute('operator', 'My sessions', [OwnSessionDto])
  listSessions(@CurrentCaller() caller: Caller): Promise<Page<OwnSessionDto>> {
    return this.sessions.list(caller);
  }

  @Delete('sessions/:id')
  @ConsoleRoute('operator', 'End one of my sessions', [OwnSessionDto], { answered: 'My remaining sessions' })
  endSession(@CurrentCaller() caller: Caller, @PathId('session') id: number): Promise<Page<OwnSessionDto>> {
    return this.sessions.end(caller, id);
  }
}

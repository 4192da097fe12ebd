import { Body, Controller, Delete, Get, Inject, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { recordAction } from '../../audit-log/audit-log.js';
import { CONFIG, type Config } from '../../core/config.js';
import { present } from '../../core/invariant.js';
import { withoutUndefined } from '../../core/members.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { OperatorsRepository } from '../../operators/operators.repository.js';
import type { SignedInAccess } from '../../operators/operators.service.js';
import { SecondFactorService } from '../../operators/second-factor.service.js';
import { CurrentCaller, CurrentExchange, isRecent, type Caller, type Exchange } from './caller.js';
import { ConsoleRoute } from './console-route.decorator.js';
import { PathId } from './parameters.js';
import { lacksSecondFactor } from './permission.js';
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
import { toMeDto } from './session.mapper.js';
import { SessionsService } from './sessions.service.js';

/** An operator's own account. */
@ApiTags('Me')
@Controller('api/me')
export class MeController {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorsRepository,
    private readonly secondFactor: SecondFactorService,
    private readonly sessions: SessionsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ConsoleRoute('self', 'My account', MeDto)
  async show(@CurrentCaller() { id }: Caller): Promise<MeDto> {
    const operator = present(await this.operators.find({ id }), 'a signed-in operator has an account');
    return toMeDto(operator, await this.operators.countRecoveryCodes(id), this.config);
  }

  @Patch()
  @ConsoleRoute('self', 'Change my name, language or time zone', MeDto)
  async change(@CurrentCaller() caller: Caller, @Body() { name, language, timezone }: ChangeMeDto): Promise<MeDto> {
    const change = withoutUndefined({ name, language, timezone });
    await this.database.transaction(async (tx) => {
      await this.operators.update(tx, caller.id, change);
      recordAction(tx, caller.actor(), { action: 'operator.set_profile', detail: change });
    });
    return this.show(caller);
  }

  @Post('password')
  @ConsoleRoute('self', 'Change my password', SessionDto, {
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
  @ConsoleRoute('self', 'Begin to set up a second factor, or a new one', SecondFactorOfferDto, {
    description: 'The new factor is valid once its code was given with PUT. Asks for confirmation.',
  })
  offerSecondFactor(@CurrentCaller() caller: Caller): Promise<SecondFactorOfferDto> {
    this.assertMaySetUp(caller);
    return this.secondFactor.offer(accessOf(caller));
  }

  @Put('second-factor')
  @ConsoleRoute('self', 'Complete the second factor with a code of the app', RecoveryCodesDto, {
    description: 'Asks for confirmation. Ends all other sessions.',
  })
  async acceptSecondFactor(
    @CurrentExchange() exchange: Exchange,
    @CurrentCaller() caller: Caller,
    @Body() { code }: CodeDto,
  ): Promise<RecoveryCodesDto> {
    this.assertMaySetUp(caller);
    const { codes, accessVersion } = await this.secondFactor.accept(accessOf(caller), code, caller.actor());
    await this.sessions.renew(exchange, caller, { accessVersion, confirmedAt: new Date() });
    return { recovery_codes: codes };
  }

  @Delete('second-factor')
  @ConsoleRoute('self', 'Remove my second factor', MeDto, {
    description: 'Asks for confirmation. Ends all other sessions.',
  })
  async removeSecondFactor(@CurrentExchange() exchange: Exchange, @CurrentCaller() caller: Caller): Promise<MeDto> {
    const renewed = await this.secondFactor.remove(accessOf(caller), caller.confirmedActor());
    await this.sessions.renew(exchange, caller, renewed);
    return this.show(caller);
  }

  @Get('sessions')
  @ConsoleRoute('self', 'My sessions', [OwnSessionDto])
  listSessions(@CurrentCaller() caller: Caller): Promise<Page<OwnSessionDto>> {
    return this.sessions.list(caller);
  }

  @Delete('sessions/:id')
  @ConsoleRoute('self', 'End one of my sessions', [OwnSessionDto], { answered: 'My remaining sessions' })
  endSession(@CurrentCaller() caller: Caller, @PathId('session') id: number): Promise<Page<OwnSessionDto>> {
    return this.sessions.end(caller, id);
  }

  /**
   * An operator who signs in through the company may have no password or code to confirm with. So if the role needs a
   * second factor and the operator has none, a session that began within ten minutes is enough to set one up.
   * @throws FORBIDDEN
   */
  private assertMaySetUp(caller: Caller): void {
    if (!(lacksSecondFactor(caller.session, this.config) && isRecent(caller.session.created_at)))
      caller.assertConfirmed();
  }
}

const accessOf = ({ id, session: { access_version } }: Caller): SignedInAccess => ({ id, access_version });

import { Inject, Injectable } from '@nestjs/common';
import { recordAction } from '../../audit-log/audit-log.js';
import { CONFIG, type Config } from '../../core/config.js';
import { present } from '../../core/invariant.js';
import { given } from '../../core/members.js';
import { Database } from '../../database/database.js';
import { OperatorsRepository } from '../../operators/operators.repository.js';
import type { SignedInAccess } from '../../operators/operators.service.js';
import { SecondFactorService, type Offer } from '../../operators/second-factor.service.js';
import { isRecent, type Caller, type Exchange } from './caller.js';
import { lacksSecondFactor } from './permission.js';
import type { ChangeMeDto, MeDto, RecoveryCodesDto } from './session.dto.js';
import { toMeDto } from './session.mapper.js';
import { SessionsService } from './sessions.service.js';

/** An operator's own account. */
@Injectable()
export class MeService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorsRepository,
    private readonly secondFactor: SecondFactorService,
    private readonly sessions: SessionsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async show({ id }: Caller): Promise<MeDto> {
    const operator = present(await this.operators.find({ id }), 'a signed-in operator has an account');
    return toMeDto(operator, await this.operators.countRecoveryCodes(id), this.config);
  }

  async change(caller: Caller, { name, language, timezone }: ChangeMeDto): Promise<MeDto> {
    const change = given({ name, language, timezone });
    await this.database.transaction(async (tx) => {
      await this.operators.update(tx, caller.id, change);
      recordAction(tx, caller.actor(), { action: 'operator.set_profile', detail: change });
    });
    return this.show(caller);
  }

  /** @throws FORBIDDEN as {@link assertMaySetUp}. */
  offerSecondFactor(caller: Caller): Promise<Offer> {
    this.assertMaySetUp(caller);
    return this.secondFactor.offer(accessOf(caller));
  }

  /** Signs out everywhere else. @throws FORBIDDEN; BAD_REQUEST; CONFLICT */
  async acceptSecondFactor(exchange: Exchange, caller: Caller, code: string): Promise<RecoveryCodesDto> {
    this.assertMaySetUp(caller);
    const recovery_codes = await this.secondFactor.accept(accessOf(caller), code, caller.actor());
    await this.sessions.renew(exchange, caller, { confirmedAt: new Date() });
    return { recovery_codes };
  }

  /** Signs out everywhere else. @throws FORBIDDEN */
  async removeSecondFactor(exchange: Exchange, caller: Caller): Promise<MeDto> {
    await this.secondFactor.remove(accessOf(caller), caller.confirmedActor());
    await this.sessions.renew(exchange, caller);
    return this.show(caller);
  }

  /**
   * An operator who signs in through the company may have no password or code to confirm with. If the role needs a second
   * factor and the operator has none, a session of the last ten minutes is therefore enough to set it up.
   * @throws FORBIDDEN
   */
  private assertMaySetUp(caller: Caller): void {
    if (!(lacksSecondFactor(caller.session, this.config) && isRecent(caller.session.created_at)))
      caller.assertConfirmed();
  }
}

const accessOf = ({ id, session: { access_version } }: Caller): SignedInAccess => ({ id, access_version });

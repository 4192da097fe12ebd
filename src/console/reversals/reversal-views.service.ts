import { Inject, Injectable } from '@nestjs/common';
import { recordAction } from '../../audit-log/audit-log.js';
import { CONFIG, type Config } from '../../core/config.js';
import { checkedBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { UnitDeliveriesService } from '../../orders/codes/unit-deliveries.service.js';
import { ReversalsService, type ClosedReversal, type Reversal } from '../../support/reversals.service.js';
import type { Caller } from '../access/caller.js';
import { assertNeedsNoApproval } from '../access/permission.js';
import { newestFirst } from '../lists.js';
import type { RevealedDto } from '../orders/decision.dto.js';
import { PlayerMaskingService } from '../orders/player-masking.service.js';
import { censorOf, hiddenIfAny, type Censor } from '../../support/masking.js';
import type { ClosingDto, ReversalDto, ReversalsQueryDto } from './reversal.dto.js';
import { valuesOf } from '../filters.js';

/** Discrepancies between the books and suppliers' reports, as the caller may see them. */
@Injectable()
export class ReversalViewsService {
  constructor(
    private readonly database: Database,
    private readonly reversals: ReversalsService,
    private readonly deliveries: UnitDeliveriesService,
    private readonly players: PlayerMaskingService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Newest first. @throws BAD_REQUEST for an invalid cursor. */
  async list(caller: Caller, { open, supplier, ...query }: ReversalsQueryDto): Promise<Page<ReversalDto>> {
    const page = await newestFirst(query, (before, limit) =>
      this.reversals.list({ open: open === 'true', suppliers: valuesOf(supplier), before, limit }),
    );
    const censor = await this.censors(page.data, caller);
    return { ...page, data: page.data.map((reversal) => toReversalDto(reversal, caller, censor(reversal))) };
  }

  /**
   * @throws FORBIDDEN until the caller confirms, and for a credit that needs an approval; NOT_FOUND; CONFLICT where the
   * discrepancy is closed already, and for a credit without an order.
   */
  async close(caller: Caller, id: number, { credit, reason }: ClosingDto): Promise<ReversalDto> {
    const amount = credit ? checkedBaht(credit) : undefined;
    if (amount !== undefined) assertNeedsNoApproval(amount, this.config);
    const closed = await this.reversals.close({
      id,
      by: caller.confirmedActor(reason),
      ...(amount === undefined ? {} : { credit: amount }),
    });
    return toReversalDto(closed, caller, (await this.censors([closed], caller))(closed));
  }

  /**
   * Returns what the supplier handed over for the purchase, after an entry in the audit log.
   * @throws FORBIDDEN until the caller confirms; NOT_FOUND
   */
  async reveal(caller: Caller, id: number, reason: string): Promise<RevealedDto> {
    caller.assertConfirmed();
    const { unit, key, sealed, about } = await this.reversals.getHandedOver(id);
    const pieces = this.deliveries.open(sealed, key);
    await this.database.transaction((tx) => {
      const detail = { unit, reversal_id: id };
      recordAction(tx, caller.actor(reason), { action: 'code.reveal', ...about, detail });
    });
    return { unit, pieces };
  }

  /** Masks the player of the order or, without an order, the player that the supplier reports. */
  private async censors(reversals: readonly Reversal[], caller: Caller): Promise<(reversal: Reversal) => Censor> {
    const ofOrders = await this.players.censors(reversals.filter(isAboutOrder), caller);
    return (reversal) => {
      if (isAboutOrder(reversal)) return ofOrders(reversal);
      return censorOf({ user_id: reversal.player ?? '', server_id: null, character_id: null }, caller);
    };
  }
}

const isAboutOrder = (reversal: Reversal): reversal is Reversal & { order_number: string } =>
  reversal.order_number !== null;

const toReversalDto = (reversal: ClosedReversal, caller: Caller, censor: Censor): ReversalDto => ({
  ...reversal,
  player: hiddenIfAny(reversal.player, caller),
  detail: censor(reversal.detail),
  ...(caller.may('costs.read') ? {} : { amount: null, currency: null }),
});

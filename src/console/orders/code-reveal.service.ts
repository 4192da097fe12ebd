import { Injectable } from '@nestjs/common';
import { recordAction } from '../../audit-log/audit-log.js';
import { notFound } from '../../core/errors.js';
import { Database } from '../../database/database.js';
import { unitName } from '../../orders/order.rows.js';
import { OrderOverviewService } from '../../support/order-overview.service.js';
import { UnitDeliveriesService } from '../../orders/codes/unit-deliveries.service.js';
import type { Caller } from '../access/caller.js';
import type { RevealedDto } from './code.dto.js';
import type { Unit } from './unit-name.js';

/** Shows operators what a buyer was handed: one unit at a time, and the log knows of it first. */
@Injectable()
export class CodeRevealService {
  constructor(
    private readonly database: Database,
    private readonly overview: OrderOverviewService,
    private readonly deliveries: UnitDeliveriesService,
  ) {}

  /** @throws FORBIDDEN where it has to be confirmed; NOT_FOUND where nothing was handed over for the unit. */
  async reveal(caller: Caller, orderNumber: string, name: Unit, reason: string): Promise<RevealedDto> {
    caller.assertConfirmed();
    const { id: orderId, merchant_id: merchantId } = await this.overview.getByNumber(orderNumber);
    const ofItem = (await this.deliveries.ofOrder(orderId)).get(name.item) ?? [];
    const pieces = ofItem.filter(({ unit }) => unit === name.unit);
    if (pieces.length === 0) throw notFound('code');
    const unit = unitName(name);
    await this.database.transaction((tx) => {
      recordAction(tx, caller.actor(reason), {
        action: 'code.reveal',
        merchantId,
        orderId,
        detail: { unit },
      });
      return Promise.resolve();
    });
    return { unit, pieces: pieces.map(({ unit: _unit, ...piece }) => piece) };
  }
}

import { Injectable } from '@nestjs/common';
import { recordAction } from '../../audit-log/audit-log.js';
import { Database } from '../../database/database.js';
import { ReversalsService } from '../../support/reversals.service.js';
import { UnitDeliveriesService } from '../../orders/codes/unit-deliveries.service.js';
import type { Caller } from '../access/caller.js';
import type { RevealedDto } from '../orders/code.dto.js';

/** Shows operators what a supplier handed over for a purchase that was given up: one at a time, and the log knows of it first. */
@Injectable()
export class CaseRevealService {
  constructor(
    private readonly database: Database,
    private readonly reversals: ReversalsService,
    private readonly deliveries: UnitDeliveriesService,
  ) {}

  /** @throws FORBIDDEN where it has to be confirmed; NOT_FOUND where nothing was handed over. */
  async reveal(caller: Caller, id: number, reason: string): Promise<RevealedDto> {
    caller.assertConfirmed();
    const { unit, key, sealed, about } = await this.reversals.getHandedOver(id);
    const pieces = this.deliveries.open(sealed, key);
    await this.database.transaction((tx) => {
      const detail = { unit, reversal_id: id };
      recordAction(tx, caller.actor(reason), { action: 'code.reveal', ...about, detail });
      return Promise.resolve();
    });
    return { unit, pieces };
  }
}

import { Injectable } from '@nestjs/common';
import { OrderOverviewService } from '../../support/order-overview.service.js';
import { censorOf, type Censor, type Viewer } from './players.js';

interface AboutOrder {
  order_number: string;
}

/** Cuts players out of texts about many orders. */
@Injectable()
export class PlayerMaskingService {
  constructor(private readonly overview: OrderOverviewService) {}

  /** For rows that are about orders, the one for each: nothing is left of a text about an order that is not there. */
  async censors(rows: readonly AboutOrder[], viewer: Viewer): Promise<(row: AboutOrder) => Censor> {
    if (viewer.may('players.read')) return () => censorOf(null, viewer);
    const players = await this.overview.playersOf(rows.map(({ order_number }) => order_number));
    return ({ order_number }) => censorOf(players.get(order_number) ?? null, viewer);
  }
}

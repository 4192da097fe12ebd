import { Injectable } from '@nestjs/common';
import { OrderSupportService } from '../../support/order-support.service.js';
import { censorOf, type Censor, type Viewer } from '../../support/masking.js';

interface AboutOrder {
  order_number: string;
}

/** Masks players in texts about many orders. */
@Injectable()
export class PlayerMaskingService {
  constructor(private readonly orders: OrderSupportService) {}

  /** Returns the censor of each row's order. For an order that does not exist, the censor masks the whole text. */
  async censors(rows: readonly AboutOrder[], viewer: Viewer): Promise<(row: AboutOrder) => Censor> {
    if (viewer.may('players.read')) return () => censorOf(null, viewer);
    const players = await this.orders.listPlayers(rows.map(({ order_number }) => order_number));
    return ({ order_number }) => censorOf(players.get(order_number) ?? null, viewer);
  }
}

import { Injectable } from '@nestjs/common';
import type { ProductKind } from '../../core/product-kind.js';
import { SecretBox } from '../../core/secret-box.js';
import type { DefiniteOutcome, Delivery } from '../../suppliers/supplier-outcome.js';
import { keptOf } from './delivered.js';
import { UnitDeliveriesRepository, type DeliveredRow } from './unit-deliveries.repository.js';
import { unitDeliveryPlace } from './unit-delivery.entity.js';

type UnitOfOrder = Parameters<typeof unitDeliveryPlace>[0];

/** What was handed over for one unit of an item, as its merchant sees it. */
export interface DeliveredPiece {
  /** The unit's number within its item. */
  unit: number;
  serial: string | null;
  code: string | null;
  /** As `yyyy-mm-dd`; null where it does not expire, or that is not known. */
  expires_on: string | null;
}

export type HandedOver = Omit<DeliveredPiece, 'unit'>;

/** By the position of the item: those of units that are codes, and of top-ups for which there is something. */
export type DeliveredItems = ReadonlyMap<number, DeliveredPiece[]>;

/** Seals what suppliers hand over for units, and opens it for its merchant and nobody else. */
@Injectable()
export class UnitDeliveriesService {
  constructor(
    private readonly repository: UnitDeliveriesRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /** What is to be kept of a unit's purchase; null where there is nothing. @throws Error without SECRETS_KEY. */
  seal(unit: UnitOfOrder, kind: ProductKind, outcome: DefiniteOutcome): Buffer | null {
    const kept = outcome.kind === 'succeeded' ? keptOf(kind, outcome.deliveries) : [];
    if (kept.length === 0) return null;
    return this.secretBox.sealBytes(Buffer.from(JSON.stringify(kept)), unitDeliveryPlace(unit));
  }

  /** Of an order's items that have ended. @throws Error when it was sealed under a key that is not here. */
  async ofOrder(orderId: bigint): Promise<DeliveredItems> {
    return this.toItems(orderId, await this.repository.listDelivered(orderId));
  }

  /**
   * Of an archived order. @param ended its items that ended with something bought.
   * @throws Error when it was sealed under a key that is not here.
   */
  async ofArchived(orderId: bigint, ended: { position: number; kind: ProductKind }[]): Promise<DeliveredItems> {
    const nothing = ended
      .filter(({ kind }) => kind === 'code')
      .map(({ position }): DeliveredRow => ({ item: position, unit: null, sealed: null }));
    return this.toItems(orderId, [...nothing, ...(await this.repository.listKept(orderId))]);
  }

  /**
   * Of a unit, or of a case about one, for an operator.
   * @throws Error when it was sealed under a key that is not here, or for another unit.
   */
  open(sealed: Buffer, unit: UnitOfOrder): HandedOver[] {
    const opened = this.secretBox.openBytes(sealed, unitDeliveryPlace(unit)).toString('utf8');
    return (JSON.parse(opened) as Delivery[]).map(toHandedOver);
  }

  private toItems(orderId: bigint, rows: DeliveredRow[]): DeliveredItems {
    const items = new Map<number, DeliveredPiece[]>();
    for (const { item, unit, sealed } of rows) {
      const pieces = items.get(item) ?? [];
      if (unit !== null) {
        const opened = this.open(sealed, { order_id: orderId, item, unit });
        pieces.push(...opened.map((each) => ({ unit, ...each })));
      }
      items.set(item, pieces);
    }
    return items;
  }
}

const toHandedOver = ({ serial, code, expiresOn }: Delivery): HandedOver => ({
  serial,
  code,
  expires_on: expiresOn,
});

import { Injectable } from '@nestjs/common';
import type { ProductKind } from '../../core/product-kind.js';
import { SecretBox } from '../../core/secret-box.js';
import type { UnitDelivery } from '../../suppliers/supplier-outcome.js';
import { deliveriesToStore } from './delivered.js';
import { UnitDeliveriesRepository, type DeliveredRow } from './unit-deliveries.repository.js';
import { unitDeliveryPlace } from './unit-deliveries.entity.js';

type UnitOfOrder = Parameters<typeof unitDeliveryPlace>[0];

/** A unit delivery, as the merchant sees it. */
interface DeliveredCode {
  /** The unit's number within its item. */
  unit: number;
  serial: string | null;
  code: string | null;
  /** As `yyyy-mm-dd`; null if the code does not expire, or the supplier does not say. */
  expires_on: string | null;
}

type HandedOver = Omit<DeliveredCode, 'unit'>;

/**
 * The deliveries of an order, by the position of their item. An ended item of kind `code` with a bought unit has an entry even
 * without deliveries.
 */
export type DeliveredItems = ReadonlyMap<number, DeliveredCode[]>;

/** Seals codes and serial numbers, and opens them for their merchant or an operator. */
@Injectable()
export class UnitDeliveriesService {
  constructor(
    private readonly repository: UnitDeliveriesRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /** Seals the deliveries of a purchase. @returns null if there is nothing to store. @throws Error without SECRETS_KEY. */
  seal(unit: UnitOfOrder, kind: ProductKind, deliveries?: readonly UnitDelivery[]): Buffer | null {
    const stored = deliveriesToStore(kind, deliveries);
    if (stored.length === 0) return null;
    return this.secretBox.sealBytes(Buffer.from(JSON.stringify(stored)), unitDeliveryPlace(unit));
  }

  /** The deliveries of an order's ended items. @throws Error if they cannot be opened. */
  async ofOrder(orderId: bigint): Promise<DeliveredItems> {
    return this.toItems(orderId, await this.repository.listDelivered(orderId));
  }

  /**
   * The deliveries of an archived order. @param ended its ended items with at least one bought unit.
   * @throws Error if they cannot be opened.
   */
  async ofArchived(orderId: bigint, ended: { position: number; kind: ProductKind }[]): Promise<DeliveredItems> {
    const nothing = ended
      .filter(({ kind }) => kind === 'code')
      .map(({ position }): DeliveredRow => ({ item: position, unit: null, sealed: null }));
    return this.toItems(orderId, [...nothing, ...(await this.repository.listOfArchived(orderId))]);
  }

  /**
   * Opens the sealed deliveries of a unit, or of a discrepancy about it.
   * @throws Error if they cannot be opened, for example because they belong to another unit.
   */
  open(sealed: Buffer, unit: UnitOfOrder): HandedOver[] {
    const opened = this.secretBox.openBytes(sealed, unitDeliveryPlace(unit)).toString('utf8');
    return (JSON.parse(opened) as UnitDelivery[]).map(toHandedOver);
  }

  private toItems(orderId: bigint, rows: DeliveredRow[]): DeliveredItems {
    const items = new Map<number, DeliveredCode[]>();
    for (const { item, unit, sealed } of rows) {
      const codes = items.get(item) ?? [];
      if (unit !== null) {
        const opened = this.open(sealed, { order_id: orderId, item, unit });
        codes.push(...opened.map((each) => ({ unit, ...each })));
      }
      items.set(item, codes);
    }
    return items;
  }
}

const toHandedOver = ({ serial, code, expiresOn }: UnitDelivery): HandedOver => ({
  serial,
  code,
  expires_on: expiresOn,
});

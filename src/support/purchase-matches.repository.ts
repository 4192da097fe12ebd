import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../core/durations.js';
import { Database } from '../database/database.js';
import { statement } from '../database/parameters.js';
import type { OrderUnit } from '../orders/order-unit.entity.js';
import type { Order } from '../orders/order.entity.js';
import type { SupplierReversal } from '../orders/supplier-reversal.entity.js';

/**
 * Finds units of any supplier for these players. If the report has a SKU, either the unit's latest attempt was under that SKU, or
 * the reporting supplier has an offer of the unit's product under it. Reads the index of players once for each merchant, because the index
 * begins with the merchant.
 */
const LIST_MATCHES = statement(
  'purchase_matches.list',
  {
    supplierId: 'int',
    sku: 'text?',
    players: 'text[]',
    from: 'timestamptz',
    to: 'timestamptz',
    limit: 'int',
  },
  ({ supplierId, sku, players, from, to, limit }) => `
    SELECT o.order_number, o.merchant_id, o.reference_id, o.user_id, o.server_id, o.created_at, u.item, u.unit, u.state,
           s.code AS supplier, a.reference
    FROM merchants m
    CROSS JOIN LATERAL (
      SELECT id, order_number, merchant_id, reference_id, user_id, server_id, created_at FROM orders
      WHERE merchant_id = m.id AND user_id = ANY(${players}) AND created_at >= ${from} AND created_at < ${to}
      ORDER BY created_at LIMIT ${limit}) o
    JOIN order_items i ON i.order_id = o.id
    JOIN order_units u ON u.order_id = i.order_id AND u.item = i.position
    JOIN suppliers s ON s.id = u.supplier_id
    LEFT JOIN unit_attempts a
      ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt
    WHERE ${sku} IS NULL OR coalesce(a.supplier_sku, i.supplier_sku) = ${sku} OR i.sku IN (
      SELECT p.sku FROM supplier_offers f JOIN products p ON p.id = f.product_id
      WHERE f.supplier_id = ${supplierId} AND f.supplier_sku = ${sku})
    ORDER BY o.created_at, o.id, u.item, u.unit LIMIT ${limit}`,
);

/** An order may be this much older than the reported purchase: clocks differ, and callbacks may be late. */
const BEFORE_MS = DAY_MS;
/** An order may follow the purchase this late: a merchant may repeat an order when its customer complains, weeks later. */
const AFTER_MS = 30 * DAY_MS;
const MAX = 50;
/** How many units of the players are read. A player's text may begin with the user ids of several players. */
const MAX_READ = 1_000;
const MIN_USER = 4;
const MAX_USER = 64;

export type MatchRow = Pick<
  Order,
  'order_number' | 'merchant_id' | 'reference_id' | 'user_id' | 'server_id' | 'created_at'
> &
  Pick<OrderUnit, 'item' | 'unit' | 'state'> & { supplier: string; reference: string | null };

type Purchase = Pick<SupplierReversal, 'supplier_id' | 'supplier_sku' | 'player' | 'bought_at' | 'created_at'>;

/** Lists units that may repeat a purchase that the books do not have. */
@Injectable()
export class PurchaseMatchesRepository {
  constructor(private readonly database: Database) {}

  /** Returns at most 50 units, the oldest first; none if the supplier did not report the player. */
  async list({ supplier_id: supplierId, ...purchase }: Purchase): Promise<MatchRow[]> {
    const { supplier_sku: sku, player, bought_at: boughtAt, created_at: reportedAt } = purchase;
    if (player === null) return [];
    const about = (boughtAt ?? reportedAt).getTime();
    const found = await this.database.query<MatchRow>(
      ...LIST_MATCHES.with({
        supplierId,
        sku,
        players: usersIn(player),
        limit: MAX_READ,
        from: new Date(about - BEFORE_MS),
        to: new Date(about + AFTER_MS),
      }),
    );
    return found.filter((row) => isFor(player, row)).slice(0, MAX);
  }
}

/** The user ids that a supplier's text for a player may begin with. The server follows, in each supplier's own form. */
function usersIn(player: string): string[] {
  const longer = Math.max(Math.min(player.length, MAX_USER) - MIN_USER + 1, 0);
  const beginnings = Array.from({ length: longer }, (_, count) => player.slice(0, MIN_USER + count));
  return [player, ...beginnings.map((text) => text.trimEnd())];
}

/** Whether the text after the user id contains the order's server, or is empty. */
function isFor(player: string, { user_id: user, server_id: server }: MatchRow): boolean {
  const rest = lettersOf(player.slice(user.length));
  return rest === '' || (server !== null && rest.includes(lettersOf(server)));
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

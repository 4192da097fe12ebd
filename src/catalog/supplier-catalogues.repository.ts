import { Injectable } from '@nestjs/common';
import { Database, type Statement, type Transaction } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { inSnapshot } from '../database/snapshot.js';
import { SupplierProduct } from '../suppliers/supplier-product.entity.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import type { CatalogueDifference } from './catalogue-difference.js';
import type { Product } from './product.entity.js';

const ITEM = {
  sku: 'text',
  name: 'text',
  group_name: 'text',
  cost_micros: 'bigint?',
  cost_currency: 'text?',
  sellable: 'boolean',
  stock: 'int?',
  once_per_day: 'boolean',
  note: 'text?',
  cut_off_from: 'text?',
  cut_off_to: 'text?',
  cut_off_zone: 'text?',
  player_pattern: 'text?',
} as const;

const COLUMNS = Object.keys(ITEM);
const REPLACED = [...COLUMNS.filter((column) => column !== 'sku'), 'last_seen_at', 'gone_at'];

/**
 * Lets the rest of the transaction join whole tables, because offers have no index by the supplier's SKU. There is no such index
 * because PostgreSQL would also use it, wrongly, to look up an order's offers.
 */
const JOIN_WHOLE_TABLES: Statement = {
  name: 'supplier_catalogues.join_whole_tables',
  text: `SELECT set_config('enable_hashjoin', 'on', true), set_config('enable_seqscan', 'on', true)`,
};

const WRITE_ITEMS = statement(
  'supplier_catalogues.write_items',
  { supplierId: 'int', readAt: 'timestamptz', items: rowsOf({ ...ITEM, is_cost_read: 'boolean' }) },
  ({ supplierId, readAt, items }) => `
    INSERT INTO supplier_products (supplier_id, ${COLUMNS.join(', ')}, first_seen_at, last_seen_at, cost_at)
    SELECT ${supplierId}, sku, name, group_name, cost_micros, cost_currency, sellable, stock, once_per_day, note,
           cut_off_from::time, cut_off_to::time, cut_off_zone, player_pattern, ${readAt}, ${readAt},
           CASE WHEN is_cost_read THEN ${readAt} END
    FROM ${items.as('i')}
    ON CONFLICT (supplier_id, sku) DO UPDATE
    SET ${REPLACED.map((column) => `${column} = excluded.${column}`).join(', ')},
      cost_at = coalesce(excluded.cost_at, supplier_products.cost_at)`,
);

const MARK_GONE = statement(
  'supplier_catalogues.mark_gone',
  { supplierId: 'int', readAt: 'timestamptz', skus: 'text[]' },
  ({ supplierId, readAt, skus }) => `
    UPDATE supplier_products SET sellable = false, gone_at = ${readAt}
    WHERE supplier_id = ${supplierId} AND sku = ANY (${skus})`,
);

/**
 * Writes the costs of a reading, if any, and its daily limits to offers. If a fault switched an offer off, a change of
 * the offer's catalogue item switches the offer on again.
 */
const UPDATE_OFFERS = statement(
  'supplier_catalogues.update_offers',
  {
    supplierId: 'int',
    readAt: 'timestamptz',
    costs: rowsOf({
      sku: 'text',
      cost_micros: 'bigint?',
      cost_currency: 'text?',
      once_per_day: 'boolean',
      is_changed: 'boolean',
      is_cost_read: 'boolean',
    }),
  },
  ({ supplierId, readAt, costs }) => `
    UPDATE supplier_offers o SET
      cost_micros = CASE WHEN c.is_cost_read THEN c.cost_micros ELSE o.cost_micros END,
      cost_currency = CASE WHEN c.is_cost_read THEN c.cost_currency ELSE o.cost_currency END,
      cost_at = CASE WHEN c.is_cost_read THEN ${readAt} ELSE o.cost_at END,
      once_per_day = c.once_per_day,
      active = o.active OR (o.off_by_fault AND c.is_changed),
      off_reason = CASE WHEN o.off_by_fault AND c.is_changed THEN NULL ELSE o.off_reason END,
      off_at = CASE WHEN o.off_by_fault AND c.is_changed THEN NULL ELSE o.off_at END,
      off_by_fault = o.off_by_fault AND NOT c.is_changed
    FROM ${costs.as('c')}
    WHERE o.supplier_id = ${supplierId} AND o.supplier_sku = c.sku`,
);

type ItemColumns = 'sku' | 'name' | 'group_name' | 'cost_micros' | 'cost_currency' | 'sellable' | 'gone_at';

/** An item of a supplier's catalogue, with our product for it. */
export type MappedItem = Pick<SupplierProduct, ItemColumns> & {
  /** The first of our products that has an offer of it; null without one. */
  mapped_to: Product['sku'] | null;
  /** Whether the item first appeared in the last sync. False for all items of a catalogue that was read only once. */
  is_new: boolean;
};

/**
 * After a sync, the `last_seen_at` of each listed item is the time of the sync, or later if its SKU was read alone. So
 * the earliest one is the time of the last sync.
 */
const LIST_ITEMS = statement(
  'supplier_catalogues.list_items',
  { supplierId: 'int', match: 'text?', isUnmapped: 'boolean' },
  ({ supplierId, match, isUnmapped }) => `
    SELECT c.sku, c.name, c.group_name, c.cost_micros, c.cost_currency, c.sellable, c.gone_at,
           ours.sku AS mapped_to, c.first_seen_at = reading.latest AND c.first_seen_at > reading.first AS is_new
    FROM supplier_products c
    LEFT JOIN (
      SELECT o.supplier_sku, min(p.sku) AS sku FROM supplier_offers o JOIN products p ON p.id = o.product_id
      WHERE o.supplier_id = ${supplierId} GROUP BY o.supplier_sku) ours ON ours.supplier_sku = c.sku
    CROSS JOIN (SELECT min(last_seen_at) FILTER (WHERE gone_at IS NULL) AS latest, min(first_seen_at) AS first
                FROM supplier_products WHERE supplier_id = ${supplierId}) reading
    WHERE c.supplier_id = ${supplierId} AND (NOT ${isUnmapped} OR ours.sku IS NULL)
      AND (${match} IS NULL OR strpos(lower(c.sku), lower(${match})) > 0
        OR strpos(lower(c.name), lower(${match})) > 0 OR strpos(lower(c.group_name), lower(${match})) > 0)
    ORDER BY c.group_name, c.name, c.sku`,
);

/** Which items of a catalogue. */
export interface ItemFilter {
  /** A part of the SKU, the name or the group. Upper and lower case are the same. */
  match?: string;
  /** Only items for which no product has an offer. */
  unmapped?: boolean;
}

/** The catalogues of suppliers, as last read. */
@Injectable()
export class SupplierCataloguesRepository {
  constructor(private readonly database: Database) {}

  /** Includes items that are no longer listed. */
  listAll({ manager }: Transaction, { id }: Supplier): Promise<SupplierProduct[]> {
    return manager.findBy(SupplierProduct, { supplier_id: id });
  }

  find({ manager }: Transaction, { id }: Supplier, sku: string): Promise<SupplierProduct | null> {
    return manager.findOneBy(SupplierProduct, { supplier_id: id, sku });
  }

  /** Sorted by group and name. */
  list({ id }: Supplier, { match, unmapped = false }: ItemFilter): Promise<MappedItem[]> {
    const which = { supplierId: id, match: match ?? null, isUnmapped: unmapped };
    return inSnapshot(this.database, (tx) => tx.query<MappedItem>(...LIST_ITEMS.with(which)));
  }

  /** Writes the result of a reading to the catalogue and the offers. @param readAt when the reading began. */
  write(tx: Transaction, { id }: Supplier, { items, gone }: CatalogueDifference, readAt: Date): void {
    const about = { supplierId: id, readAt };
    tx.write(...WRITE_ITEMS.with({ ...about, items }));
    tx.write(...MARK_GONE.with({ ...about, skus: gone }));
    tx.write(JOIN_WHOLE_TABLES);
    tx.write(...UPDATE_OFFERS.with({ ...about, costs: items }));
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { statement } from '../database/parameters.js';
import type { ClaimedUnit } from './units.repository.js';

/** The latest callbacks about an attempt that called it by one name of the supplier's. */
const FIND_BODIES = statement(
  'callback_bodies.find',
  {
    order_id: 'bigint',
    item: 'smallint',
    unit: 'smallint',
    attempt: 'smallint',
    supplier_reference: 'text',
    limit: 'int',
  },
  ({ order_id, item, unit, attempt, supplier_reference, limit }) => `
    SELECT body_sealed FROM supplier_callbacks
    WHERE order_id = ${order_id} AND item = ${item} AND unit = ${unit} AND attempt = ${attempt}
      AND supplier_reference = ${supplier_reference} AND body_sealed IS NOT NULL
    ORDER BY id DESC LIMIT ${limit}`,
);

/** How many callbacks about one purchase are looked at. */
const LIMIT = 10;

type Named = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit' | 'attempt'> & { supplier_reference: string };

/** What suppliers called us with about attempts, sealed. */
@Injectable()
export class CallbackBodiesRepository {
  constructor(private readonly database: Database) {}

  /** Of those that called the attempt by this name of the supplier's. */
  async find({ order_id, item, unit, attempt, supplier_reference }: Named): Promise<Buffer[]> {
    const about = { order_id, item, unit, attempt, supplier_reference, limit: LIMIT };
    const rows = await this.database.query<{ body_sealed: Buffer }>(...FIND_BODIES.with(about));
    return rows.map(({ body_sealed }) => body_sealed);
  }
}

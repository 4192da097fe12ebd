import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { FIND_BODIES } from './callback-bodies.sql.js';
import type { ClaimedUnit } from './units.repository.js';

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

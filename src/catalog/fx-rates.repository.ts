import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { present } from '../core/invariant.js';
import { statement } from '../database/parameters.js';
import type { FxRate } from './fx-rate.entity.js';

const LATEST = `
  SELECT DISTINCT ON (currency) currency, trim_scale(baht_per_unit)::text AS baht_per_unit, valid_from, source
  FROM fx_rates WHERE valid_from <= statement_timestamp()`;

const LIST_RATES = statement('fx_rates.list', {}, () => `${LATEST} ORDER BY currency, valid_from DESC`);

const FIND_RATE = statement(
  'fx_rates.find',
  { currency: 'text' },
  ({ currency }) => `${LATEST} AND currency = ${currency} ORDER BY currency, valid_from DESC`,
);

/** Adds a rate. Deletes rates that were set while the clock was ahead: later, they would replace this one. */
const ADD_RATE = statement(
  'fx_rates.add',
  { currency: 'text', rate: 'text', source: 'text' },
  ({ currency, rate, source }) => `
    WITH ahead AS (DELETE FROM fx_rates WHERE currency = ${currency} AND valid_from > statement_timestamp())
    INSERT INTO fx_rates (currency, baht_per_unit, valid_from, source)
    VALUES (${currency}, ${rate}::numeric, date_trunc('milliseconds', statement_timestamp()), ${source})
    ON CONFLICT (currency, valid_from) DO UPDATE SET baht_per_unit = excluded.baht_per_unit, source = excluded.source
    RETURNING currency, trim_scale(baht_per_unit)::text AS baht_per_unit, valid_from, source`,
);

/** Lets one transaction at a time change a currency's rate. Row locks can't do this: the first rate has no row before it. */
const LOCK_RATE = statement(
  'fx_rates.lock',
  { currency: 'text' },
  ({ currency }) => `SELECT pg_advisory_xact_lock(hashtext('fx_rates'), hashtext(${currency}))`,
);

/** Exchange rates to baht. Each new rate is a new row, except that it replaces a rate of the same millisecond. */
@Injectable()
export class FxRatesRepository {
  constructor(private readonly database: Database) {}

  /** The present rate of each currency. */
  list(): Promise<FxRate[]> {
    return this.database.query<FxRate>(...LIST_RATES.with({}));
  }

  /** The present rate, which no other process changes until the transaction ends. */
  async lock(tx: Transaction, currency: string): Promise<FxRate | undefined> {
    await tx.query(...LOCK_RATE.with({ currency }));
    const [rate] = await tx.query<FxRate>(...FIND_RATE.with({ currency }));
    return rate;
  }

  /** @param rate baht for one unit of the currency, as a decimal. */
  async add(tx: Transaction, currency: string, rate: string, source: string): Promise<FxRate> {
    const [added] = await tx.query<FxRate>(...ADD_RATE.with({ currency, rate, source }));
    return present(added, 'a rate that was added has a row');
  }
}

import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { timestampColumn } from '../database/columns.js';

/** The value of a currency in baht, from one moment until the next row of that currency. The baht has no row. */
@Entity('fx_rates')
@Check('ck_fx_rates_currency', `currency ~ '^[A-Z]{3}$' AND currency <> 'THB'`)
@Check('ck_fx_rates_baht_per_unit', 'baht_per_unit > 0')
export class FxRate {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_fx_rates' })
  currency!: string;

  /** Baht for one unit. */
  @Column('numeric', { precision: 20, scale: 10 })
  baht_per_unit!: string;

  @PrimaryColumn(timestampColumn({ primaryKeyConstraintName: 'pk_fx_rates' }))
  valid_from!: Date;

  /** Where the rate comes from, such as `operator`. */
  @Column('text')
  source!: string;
}

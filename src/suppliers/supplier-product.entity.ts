import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { Supplier } from './supplier.entity.js';

/** One SKU, as the supplier's catalogue last listed it. */
@Entity('supplier_products')
@Check('ck_supplier_products_cost', 'num_nulls(cost_micros, cost_currency) IN (0, 2)')
@Check('ck_supplier_products_gone', 'gone_at IS NULL OR NOT sellable')
@Check('ck_supplier_products_cut_off', 'num_nulls(cut_off_from, cut_off_to, cut_off_zone) IN (0, 3)')
@Check(
  'ck_supplier_products_cut_off_zone',
  `timezone(cut_off_zone, '2000-01-01 00:00:00+00'::timestamptz) > '-infinity'::timestamp`,
)
export class SupplierProduct {
  @ForeignKey(() => Supplier, { name: 'fk_supplier_products_supplier', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_supplier_products' })
  supplier_id!: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_supplier_products' })
  sku!: string;

  @Column('text')
  name!: string;

  /** The game or the kind of product, by the supplier's own groups. */
  @Column('text', { default: '' })
  group_name!: string;

  /** The last cost in the catalogue, in millionths of its currency; null if the catalogue never had one. */
  @Column(bigintColumn({ nullable: true }))
  cost_micros!: bigint | null;

  @Column('text', { nullable: true })
  cost_currency!: string | null;

  /** When a reading last found the cost; null if none has, or if an earlier version of the service read it. */
  @Column(timestampColumn({ nullable: true }))
  cost_at!: Date | null;

  /** Whether the supplier sells it at present: it is listed, switched on and in stock. */
  @Column('boolean')
  sellable!: boolean;

  /** Null if the stock is unlimited or not reported. */
  @Column('integer', { nullable: true })
  stock!: number | null;

  /** Whether a player can get only one unit a day. */
  @Column('boolean', { default: false })
  once_per_day!: boolean;

  /**
   * The supplier does not sell the SKU from this time of day until `cut_off_to`, in `cut_off_zone`. With equal times it
   * always sells.
   */
  @Column('time', { nullable: true })
  cut_off_from!: string | null;

  @Column('time', { nullable: true })
  cut_off_to!: string | null;

  /** A time zone that PostgreSQL knows, such as `Asia/Jakarta`: an unknown name would make orders fail. */
  @Column('text', { nullable: true })
  cut_off_zone!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;

  /** The pattern that players must match, as `readPattern` returns it; null if the catalogue has none. */
  @Column('text', { nullable: true })
  player_pattern!: string | null;

  @Column(timestampColumn())
  first_seen_at!: Date;

  @Column(timestampColumn())
  last_seen_at!: Date;

  /** When the catalogue stopped listing the SKU; null while it lists the SKU. */
  @Column(timestampColumn({ nullable: true }))
  gone_at!: Date | null;
}

import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The one row that says when a worker is to look again for months to close: one worker at a time does. */
@Entity('month_closing_turn')
@Check('ck_month_closing_turn_only_row', 'only_row')
export class MonthClosingTurn {
  @PrimaryColumn('boolean', { default: true, primaryKeyConstraintName: 'pk_month_closing_turn' })
  only_row!: true;

  @Column('timestamptz')
  next_at!: Date;
}

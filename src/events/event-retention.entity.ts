import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The table has one row. The retention may have removed events up to `removed_until`, because of their age. */
@Entity('event_retention')
@Check('ck_event_retention_only_row', 'only_row')
export class EventRetention {
  @PrimaryColumn('boolean', { default: true, primaryKeyConstraintName: 'pk_event_retention' })
  only_row!: true;

  @Column('timestamptz')
  removed_until!: Date;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { bigintColumn, timestampColumn } from '../database/columns.js';
import { UnitAttempt } from './unit-attempt.entity.js';

/**
 * A scheduled inquiry about an attempt that has ended. There are three reasons: the supplier sent a callback that
 * decided nothing or could not be applied, it reported a late sale without its code, or the attempt was sent several
 * times and the supplier may sell each send. If the callback came while a call was in flight, the inquiry waits until
 * the attempt has ended.
 */
@Entity('attempt_checks')
@ForeignKey(() => UnitAttempt, ['order_id', 'item', 'unit', 'attempt'], ['order_id', 'item', 'unit', 'number'], {
  name: 'fk_attempt_checks_attempt',
})
export class AttemptCheck {
  @PrimaryColumn(bigintColumn({ primaryKeyConstraintName: 'pk_attempt_checks' }))
  order_id!: bigint;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_attempt_checks' })
  item!: number;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_attempt_checks' })
  unit!: number;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'pk_attempt_checks' })
  attempt!: number;

  @Column(timestampColumn())
  due_at!: Date;
}

import { Injectable } from '@nestjs/common';
import {
  IsNull,
  LessThanOrEqual,
  Not,
  Raw,
  type EntityManager,
  type FindOperator,
  type SelectQueryBuilder,
} from 'typeorm';
import { present } from '../core/invariant.js';
import { pick } from '../core/members.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { Database, type Statement, type Transaction } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { DepositChannel } from './deposit-channel.entity.js';
import { Deposit } from './deposit.entity.js';
import { IncomingPayment } from './incoming-payment.entity.js';
import { StatementImport } from './statements/statement-import.entity.js';

export type ChannelRow = Omit<
  DepositChannel,
  | ('id' | 'covered_until' | 'refused' | 'slips_paused_until' | 'probes')
  | ('list_due_at' | 'list_read_until' | 'created_at' | 'updated_at')
>;

/** One change of settings at a time, because new channels have no row to lock. */
const LOCK_SETTINGS: Statement = {
  name: 'deposit_channels.lock_settings',
  text: `SELECT pg_advisory_xact_lock(hashtext('deposit_channels'))`,
};

/** A named statement, because each creation of a live deposit lists the channels. */
const LIST_CHANNELS = statement(
  'deposit_channels.list',
  { code: 'text?' },
  ({ code }) => `
    SELECT * FROM deposit_channels WHERE id <> ${SANDBOX_CHANNEL_ID} AND code = coalesce(${code}, code) ORDER BY priority, code`,
);

/** Leaves `updated_at` unchanged, because that column is only about settings. */
const SAME_SETTINGS = { updated_at: () => 'updated_at' };

export const NOT_PAUSED = { pause_reason: null, probe_at: null };

/** The column is a smallint. No wait depends on so high a number. */
const MAX_PROBES = 32_767;

/** The first probe comes 5 minutes after the pause began, the second one 15 minutes later, and the others each hour. */
const nextProbe = (probes: number) => (): string =>
  `statement_timestamp() + interval '${[5, 15][probes] ?? 60} minutes'`;

const DUE = Raw((column) => `${column} <= statement_timestamp()`);

/** Matches only these sealed credentials; null for none. */
const theseCredentials = (sealed: Buffer | null) =>
  Raw((column) => `${column} IS NOT DISTINCT FROM :sealed`, { sealed });

/**
 * Matches the end of this reading. It also matches an earlier end, because `WrittenAheadRepository` may correct the end after the
 * clock was set back. Another reading begins later, so it ends later and does not match.
 */
const endOf = (until: Date): FindOperator<Date> => LessThanOrEqual(until);
/** 3:00 of the next day in Bangkok, when few people pay. */
const NEXT_NIGHT = `(date_trunc('day', statement_timestamp() AT TIME ZONE 'Asia/Bangkok') + interval '27 hours') AT TIME ZONE 'Asia/Bangkok'`;

/** All channels except the built-in one, which operators neither see nor set. */
const LIVE = { id: Not(SANDBOX_CHANNEL_ID) };

/**
 * Reads rows that belong to channels, with the channels' codes.
 * @param codes the codes of the channels to read; undefined for all channels.
 * @param names the other names that the query selects. `Selected` has their types, as the driver returns them.
 */
export async function withCodes<Row extends { channel_id: number }, Selected extends object = object>(
  query: SelectQueryBuilder<Row>,
  codes?: string[],
  ...names: (keyof Selected & string)[]
): Promise<(Row & Selected & { channel: string })[]> {
  query
    .innerJoin(DepositChannel, 'channel', `channel.id = ${query.alias}.channel_id`)
    .addSelect('channel.code', 'channel');
  if (codes) query.andWhere('channel.code IN (:...codes)', { codes });
  const { entities, raw } = await query.getRawAndEntities<Selected & { channel: string }>();
  return entities.map((row, index) => {
    const selected = present(raw[index], 'a row has its raw row');
    return { ...row, channel: selected.channel, ...(pick(selected, ...names) as Selected) };
  });
}

@Injectable()
export class ChannelsRepository {
  constructor(private readonly database: Database) {}

  /** @param code of the only channel to list; undefined for all. */
  list(code?: string): Promise<DepositChannel[]> {
    return this.database.query<DepositChannel>(...LIST_CHANNELS.with({ code: code ?? null }));
  }

  find(code: string): Promise<DepositChannel | null> {
    return this.database.manager.findOneBy(DepositChannel, { ...LIVE, code });
  }

  getById(id: number): Promise<DepositChannel> {
    return this.database.manager.findOneByOrFail(DepositChannel, { id });
  }

  /** Locks the channel against other imports, decisions and changes. Deposits can still be created. */
  lock({ manager }: Transaction, id: number): Promise<DepositChannel> {
    return manager.findOneOrFail(DepositChannel, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Locks all channels, so that two changes at once can't set two channels to one account. */
  async lockAll(tx: Transaction): Promise<DepositChannel[]> {
    await tx.query(LOCK_SETTINGS);
    const { manager } = tx;
    return manager.find(DepositChannel, { where: LIVE, order: { id: 'ASC' }, lock: { mode: 'for_no_key_update' } });
  }

  /** Ends a pause of slips, because the slip service may accept the new settings. */
  async set({ manager }: Transaction, settings: ChannelRow): Promise<DepositChannel> {
    const row = { ...settings, slips_paused_until: null };
    const { affected } = await manager.update(DepositChannel, { code: row.code }, row);
    if (affected === 0) await manager.insert(DepositChannel, row);
    return manager.findOneByOrFail(DepositChannel, { code: row.code });
  }

  async pause({ manager }: Transaction, id: number): Promise<DepositChannel> {
    await manager.update(DepositChannel, { id }, { status: 'inactive' });
    return manager.findOneByOrFail(DepositChannel, { id });
  }

  async remove({ manager }: Transaction, id: number): Promise<void> {
    await manager.delete(DepositChannel, { id });
  }

  /** Pauses a channel, unless it has other credentials now than the refused ones. @returns whether this call paused it. */
  async beginPause({
    code,
    credentials_sealed: sealed,
  }: Pick<DepositChannel, 'code' | 'credentials_sealed'>): Promise<boolean> {
    const paused = { pause_reason: 'credentials', probes: 0, probe_at: nextProbe(0), ...SAME_SETTINGS } as const;
    const where = { code, pause_reason: IsNull(), credentials_sealed: theseCredentials(sealed) };
    return (await this.database.manager.update(DepositChannel, where, paused)).affected === 1;
  }

  /**
   * Ends a pause after a probe, unless the channel has other credentials now than the probe.
   * @returns false if it was not paused for these credentials.
   */
  async endPause({ id, credentials_sealed: sealed }: DepositChannel): Promise<boolean> {
    const where = { id, pause_reason: Not(IsNull()), credentials_sealed: theseCredentials(sealed) };
    const ended = { ...NOT_PAUSED, ...SAME_SETTINGS };
    return (await this.database.manager.update(DepositChannel, where, ended)).affected === 1;
  }

  /** The paused channels whose probe is due. */
  listDueProbes(): Promise<DepositChannel[]> {
    return this.database.manager.findBy(DepositChannel, { probe_at: DUE });
  }

  /**
   * Claims the probe of a paused channel, and writes the time of the next one.
   * @returns false if another process has claimed it, or the pause has ended.
   */
  async claimProbe({ id, probe_at, probes }: DepositChannel): Promise<boolean> {
    const next = { probes: Math.min(probes + 1, MAX_PROBES), probe_at: nextProbe(probes + 1), ...SAME_SETTINGS };
    const where = { id, probe_at: probe_at ?? IsNull() };
    return (await this.database.manager.update(DepositChannel, where, next)).affected === 1;
  }

  /** Claims the reading of the vendor's list, if it is due. If the reading fails, the next one follows in an hour. */
  async claimList(id: number): Promise<boolean> {
    return (await claim(this.database.manager, id, 'list_due_at', '1 hour', [IsNull(), DUE])) !== null;
  }

  /** Writes the time of the next reading: in the night of the next day. */
  async postponeList(id: number): Promise<void> {
    const next = { list_due_at: () => NEXT_NIGHT, ...SAME_SETTINGS };
    await this.database.manager.update(DepositChannel, { id }, next);
  }

  /**
   * Begins a reading of the list. It ends after two minutes unless it is renewed, in case the process dies. A page takes less: at
   * Opn, eleven calls of eight seconds.
   * @returns when the reading ends: the caller needs this time to renew or end it. Null while another reading runs.
   */
  beginReading({ manager }: Pick<Database, 'manager'>, id: number): Promise<Date | null> {
    return claim(manager, id, 'list_read_until', '2 minutes', [IsNull(), DUE]);
  }

  /** @returns when the reading ends now; null if another one has begun. */
  renewReading(id: number, until: Date): Promise<Date | null> {
    return claim(this.database.manager, id, 'list_read_until', '2 minutes', [endOf(until)]);
  }

  /** Ends the reading, unless another one has begun. */
  async endReading(id: number, until: Date): Promise<void> {
    const where = { id, list_read_until: endOf(until) };
    await this.database.manager.update(DepositChannel, where, { list_read_until: null, ...SAME_SETTINGS });
  }

  /** Records the result of an import. */
  async record(
    { manager }: Transaction,
    code: string,
    change: Partial<Pick<DepositChannel, 'covered_until' | 'refused'>>,
  ): Promise<void> {
    await manager.update(DepositChannel, { code }, { ...change, ...SAME_SETTINGS });
  }

  /** Whether anything refers to the channel. */
  async isUsed({ manager }: Transaction, id: number): Promise<{ deposits: boolean; statements: boolean }> {
    const of = { channel_id: id };
    const deposits = (await manager.existsBy(Deposit, of)) || (await manager.existsBy(IncomingPayment, of));
    return { deposits, statements: await manager.existsBy(StatementImport, of) };
  }
}

/** Moves a moment ahead, if it matches one of `from`. @returns the new moment; null if it matches none. */
async function claim(
  manager: EntityManager,
  id: number,
  column: 'list_due_at' | 'list_read_until',
  interval: string,
  from: FindOperator<unknown>[],
): Promise<Date | null> {
  const next = { [column]: () => `statement_timestamp() + interval '${interval}'`, ...SAME_SETTINGS };
  const where = from.map((moment) => ({ id, [column]: moment }));
  const update = manager.createQueryBuilder().update(DepositChannel).set(next).where(where).returning(column);
  const { raw } = (await update.execute()) as { raw: Partial<Record<typeof column, Date>>[] };
  return raw[0]?.[column] ?? null;
}

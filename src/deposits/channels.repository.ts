import { Injectable } from '@nestjs/common';
import { Not, type SelectQueryBuilder } from 'typeorm';
import { present } from '../core/invariant.js';
import { pick } from '../core/members.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { Database, type Statement, type Transaction } from '../database/database.js';
import { DepositChannel } from './deposit-channel.entity.js';
import { Deposit } from './deposit.entity.js';
import { IncomingPayment } from './incoming-payment.entity.js';
import { StatementImport } from './statements/statement-import.entity.js';

export type ChannelRow = Omit<
  DepositChannel,
  'id' | 'covered_until' | 'refused' | 'slips_paused_until' | 'created_at' | 'updated_at'
>;

/** One change of settings at a time, because new channels have no row to lock. */
const LOCK_SETTINGS: Statement = {
  name: 'deposit_channels.lock_settings',
  text: `SELECT pg_advisory_xact_lock(hashtext('deposit_channels'))`,
};

/** All but the one that is built in, which operators neither see nor set. */
const LIVE = { id: Not(SANDBOX_CHANNEL_ID) };

/**
 * Reads rows that belong to channels, with the channels' codes.
 * @param code of the only channel; undefined for all.
 * @param names of texts that the query selects besides.
 */
export async function withCodes<Row extends { channel_id: number }, Name extends string = never>(
  query: SelectQueryBuilder<Row>,
  code?: string,
  ...names: Name[]
): Promise<(Row & Record<Name, string | null> & { channel: string })[]> {
  query
    .innerJoin(DepositChannel, 'channel', `channel.id = ${query.alias}.channel_id`)
    .addSelect('channel.code', 'channel');
  if (code !== undefined) query.andWhere('channel.code = :code', { code });
  const { entities, raw } = await query.getRawAndEntities<Record<Name, string | null> & { channel: string }>();
  return entities.map((row, index) => {
    const selected = present(raw[index], 'a row has its raw row');
    return { ...row, channel: selected.channel, ...pick<Record<Name, string | null>, Name>(selected, ...names) };
  });
}

@Injectable()
export class ChannelsRepository {
  constructor(private readonly database: Database) {}

  list(): Promise<DepositChannel[]> {
    return this.database.manager.find(DepositChannel, { where: LIVE, order: { priority: 'ASC', code: 'ASC' } });
  }

  find(code: string): Promise<DepositChannel | null> {
    return this.database.manager.findOneBy(DepositChannel, { ...LIVE, code });
  }

  getById(id: number): Promise<DepositChannel> {
    return this.database.manager.findOneByOrFail(DepositChannel, { id });
  }

  findSandbox(): Promise<DepositChannel> {
    return this.database.manager.findOneByOrFail(DepositChannel, { id: SANDBOX_CHANNEL_ID });
  }

  /** Locks the channel against other imports, decisions and changes. Deposits can still be created. */
  lock({ manager }: Transaction, id: number): Promise<DepositChannel> {
    return manager.findOneOrFail(DepositChannel, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Locks all channels, so that no two are set to one account at a time. */
  async lockAll(tx: Transaction): Promise<DepositChannel[]> {
    await tx.query(LOCK_SETTINGS);
    const { manager } = tx;
    return manager.find(DepositChannel, { where: LIVE, order: { id: 'ASC' }, lock: { mode: 'for_no_key_update' } });
  }

  /** New settings may be what the slip service accepts. */
  async set({ manager }: Transaction, settings: ChannelRow): Promise<DepositChannel> {
    const row = { ...settings, slips_paused_until: null };
    const { affected } = await manager.update(DepositChannel, { code: row.code }, row);
    if (affected === 0) await manager.insert(DepositChannel, row);
    return manager.findOneByOrFail(DepositChannel, { code: row.code });
  }

  async remove({ manager }: Transaction, id: number): Promise<void> {
    await manager.delete(DepositChannel, { id });
  }

  /** Records what became of a file. */
  async record(
    { manager }: Transaction,
    code: string,
    change: Partial<Pick<DepositChannel, 'covered_until' | 'refused'>>,
  ): Promise<void> {
    await manager.update(DepositChannel, { code }, { ...change, updated_at: () => 'updated_at' });
  }

  /** Whether anything refers to the channel. */
  async isUsed({ manager }: Transaction, id: number): Promise<{ deposits: boolean; statements: boolean }> {
    const of = { channel_id: id };
    const deposits = (await manager.existsBy(Deposit, of)) || (await manager.existsBy(IncomingPayment, of));
    return { deposits, statements: await manager.existsBy(StatementImport, of) };
  }
}

import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Any, DataSource, Not } from 'typeorm';
import type { Transaction } from '../database/database.js';
import { Merchant, type MerchantStatus } from './merchant.entity.js';

@Injectable()
export class MerchantsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Adds a merchant with an empty wallet. */
  async insert({ manager }: Transaction, merchant: Pick<Merchant, 'name' | 'sandbox'>): Promise<Merchant> {
    const { id } = await manager.save(manager.create(Merchant, { ...merchant, status: 'active' }));
    // Names the entity as text: this folder must not import the wallets, because the wallets import this folder.
    await manager.insert('Wallet', { merchant_id: id });
    return manager.findOneByOrFail(Merchant, { id });
  }

  list(): Promise<Merchant[]> {
    return this.dataSource.manager.find(Merchant, { order: { id: 'ASC' } });
  }

  find(id: number): Promise<Merchant | null> {
    return this.dataSource.manager.findOneBy(Merchant, { id });
  }

  /** Names of merchants by their ids. */
  async names(ids: number[]): Promise<Map<number, string>> {
    const where = { id: Any([...new Set(ids)]) };
    const merchants = await this.dataSource.manager.find(Merchant, { select: { id: true, name: true }, where });
    return new Map(merchants.map(({ id, name }) => [id, name]));
  }

  /** @returns the given ids that belong to merchants. */
  async existing({ manager }: Transaction, ids: number[]): Promise<Set<number>> {
    const where = { id: Any([...new Set(ids)]) };
    const merchants = await manager.find(Merchant, { select: { id: true }, where });
    return new Set(merchants.map(({ id }) => id));
  }

  /** @returns whether the status changed. */
  async setStatus({ manager }: Transaction, id: number, status: MerchantStatus): Promise<boolean> {
    const { affected } = await manager.update(Merchant, { id, status: Not(status) }, { status });
    return affected === 1;
  }

  /** Locks the merchant, but orders can refer to it meanwhile. */
  lock({ manager }: Transaction, id: number): Promise<Merchant | null> {
    return manager.findOne(Merchant, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  async setWeight({ manager }: Transaction, id: number, weight: number): Promise<void> {
    await manager.update(Merchant, { id }, { weight });
  }
}

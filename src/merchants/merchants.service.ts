import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, Repository } from 'typeorm';
import { AppError, UnknownResource } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import { Database } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { Merchant, type MerchantStatus } from './merchant.entity.js';

@Injectable()
export class MerchantsService {
  constructor(
    private readonly database: Database,
    @InjectRepository(Merchant) private readonly merchants: Repository<Merchant>,
  ) {}

  /**
   * Adds a merchant with an empty wallet.
   * @param name 1 to 128 characters.
   * @param by the operator, for their log.
   */
  async create(name: string, by?: Actor): Promise<Merchant> {
    const problem = textProblem(name, 1, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the merchant's name ${problem}`);
    return this.database.transaction(async (tx) => {
      const { id } = await tx.manager.save(tx.manager.create(Merchant, { name, status: 'active' }));
      // By its name, because the wallets' folder builds on this one.
      await tx.manager.insert('Wallet', { merchant_id: id });
      recordAction(tx, by, { action: 'merchant.create', merchantId: id, detail: { name } });
      return tx.manager.findOneByOrFail(Merchant, { id });
    });
  }

  list(): Promise<Merchant[]> {
    return this.merchants.find({ order: { id: 'ASC' } });
  }

  /** @throws NOT_FOUND */
  async get(id: number): Promise<Merchant> {
    const merchant = await this.merchants.findOneBy({ id });
    if (!merchant) throw new UnknownResource('merchant', id);
    return merchant;
  }

  /** Suspends or resumes; doing it twice changes nothing. @throws NOT_FOUND */
  async setStatus(id: number, status: MerchantStatus, by?: Actor): Promise<Merchant> {
    await this.get(id);
    await this.database.transaction(async (tx) => {
      const { affected } = await tx.manager.update(Merchant, { id, status: Not(status) }, { status });
      const action = status === 'suspended' ? 'merchant.suspend' : 'merchant.resume';
      if (affected === 1) recordAction(tx, by, { action, merchantId: id, detail: {} });
    });
    return this.get(id);
  }
}

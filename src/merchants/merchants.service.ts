import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Not, Repository } from 'typeorm';
import { AppError } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import { recordAction, type By } from '../audit-log/operator-actions.js';
import { Merchant, type MerchantStatus } from './merchant.entity.js';

@Injectable()
export class MerchantsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(Merchant) private readonly merchants: Repository<Merchant>,
  ) {}

  /**
   * Adds a merchant with an empty wallet.
   * @param name 1 to 128 characters.
   * @param by the operator, for their log.
   */
  async create(name: string, by?: By): Promise<Merchant> {
    const problem = textProblem(name, 1, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the merchant's name ${problem}`);
    return this.dataSource.transaction(async (manager) => {
      const { id } = await manager.save(manager.create(Merchant, { name, status: 'active' }));
      await manager.query('INSERT INTO wallets (merchant_id) VALUES ($1)', [id]);
      await recordAction(manager, by, { action: 'merchant.create', merchantId: id, detail: { name } });
      return manager.findOneByOrFail(Merchant, { id });
    });
  }

  list(): Promise<Merchant[]> {
    return this.merchants.find({ order: { id: 'ASC' } });
  }

  /** @throws NOT_FOUND */
  async get(id: number): Promise<Merchant> {
    const merchant = await this.merchants.findOneBy({ id });
    if (!merchant)
      throw new AppError('NOT_FOUND', `there is no merchant ${id}: topup merchant list shows them`);
    return merchant;
  }

  /** Suspends or resumes; doing it twice changes nothing. @throws NOT_FOUND */
  async setStatus(id: number, status: MerchantStatus, by?: By): Promise<Merchant> {
    await this.get(id);
    await this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.update(Merchant, { id, status: Not(status) }, { status });
      const action = status === 'suspended' ? 'merchant.suspend' : 'merchant.resume';
      if (affected === 1) await recordAction(manager, by, { action, merchantId: id, detail: {} });
    });
    return this.get(id);
  }
}

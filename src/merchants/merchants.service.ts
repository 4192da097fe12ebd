import { Injectable } from '@nestjs/common';
import { AppError, UnknownResource } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import { Database } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { MAX_WEIGHT, type Merchant, type MerchantStatus } from './merchant.entity.js';
import { MerchantsRepository } from './merchants.repository.js';

@Injectable()
export class MerchantsService {
  constructor(
    private readonly database: Database,
    private readonly merchants: MerchantsRepository,
  ) {}

  /**
   * Adds a merchant with an empty wallet.
   * @param name 1 to 128 characters.
   * @param by the operator, for the audit log.
   * @param options `sandbox` can't be changed later.
   * @throws BAD_REQUEST for a name or an operator that the database can't hold.
   */
  async create(name: string, by?: Actor, { sandbox = false }: { sandbox?: boolean } = {}): Promise<Merchant> {
    const problem = textProblem(name, 1, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the merchant's name ${problem}`);
    return this.database.transaction(async (tx) => {
      const merchant = await this.merchants.insert(tx, { name, sandbox });
      const detail = { name, ...(sandbox ? { sandbox } : {}) };
      recordAction(tx, by, { action: 'merchant.create', merchantId: merchant.id, detail });
      return merchant;
    });
  }

  list(): Promise<Merchant[]> {
    return this.merchants.list();
  }

  /** Names of merchants by their ids. */
  async names(ids: number[]): Promise<Map<number, string>> {
    return ids.length === 0 ? new Map<number, string>() : this.merchants.names(ids);
  }

  /** @throws NOT_FOUND */
  async get(id: number): Promise<Merchant> {
    const merchant = await this.merchants.find(id);
    if (!merchant) throw new UnknownResource('merchant', id);
    return merchant;
  }

  /** Suspends or resumes a merchant. A repeated call changes nothing. @throws NOT_FOUND */
  async setStatus(id: number, status: MerchantStatus, by?: Actor): Promise<Merchant> {
    await this.get(id);
    await this.database.transaction(async (tx) => {
      const action = status === 'suspended' ? 'merchant.suspend' : 'merchant.resume';
      if (await this.merchants.setStatus(tx, id, status)) recordAction(tx, by, { action, merchantId: id, detail: {} });
    });
    return this.get(id);
  }

  /**
   * Sets the merchant's weight, which determines its share of suppliers' slots. Workers read the weight at each claim.
   * A repeated call changes nothing.
   * @throws NOT_FOUND; BAD_REQUEST.
   */
  async setWeight(id: number, weight: number, by?: Actor): Promise<Merchant> {
    if (!Number.isInteger(weight) || weight < 1 || weight > MAX_WEIGHT)
      throw new AppError('BAD_REQUEST', `the weight must be a whole number from 1 to ${MAX_WEIGHT}`);
    await this.database.transaction(async (tx) => {
      const merchant = await this.merchants.lock(tx, id);
      if (!merchant) throw new UnknownResource('merchant', id);
      if (merchant.weight === weight) return;
      await this.merchants.setWeight(tx, id, weight);
      const detail = { weight, before: merchant.weight };
      recordAction(tx, by, { action: 'merchant.set_weight', merchantId: id, detail });
    });
    return this.get(id);
  }
}

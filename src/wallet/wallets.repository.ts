import { Injectable } from '@nestjs/common';
import { present } from '../core/invariant.js';
import type { Satang } from '../core/money.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import type { LockWait } from '../database/group-commit.js';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import { Merchant } from '../merchants/merchant.entity.js';
import type { EntryRow } from './entries.js';
import { Transfer, TRANSFER_ACCOUNTS } from './transfer.entity.js';
import { Wallet } from './wallet.entity.js';
import { CREDIT_WALLETS, LOCK_FREE_WALLETS, LOCK_WALLETS, ENTRIES_PAGE, type LockedWallet } from './wallet.sql.js';

export type { LockedWallet };

/** A wallet with its merchant. */
export type OwnedWallet = Wallet & Pick<Merchant, 'name' | 'sandbox'>;

/** A credit or debit to write. */
interface NewMovement {
  merchantId: number;
  kind: 'credit' | 'debit';
  amount: Satang;
  availableAfter: Satang;
  reference: string;
  note: string | null;
  operator: string;
  /** The operator who approved the credit or debit, if an approval was needed. */
  approvedBy: string | null;
}

type NewCredit = Pick<Transfer, 'merchant_id' | 'amount' | 'available_after' | 'operator' | 'approved_by'> & {
  reference: string;
};

export type MadeCredit = Pick<Transfer, 'id' | 'created_at'> & { reference: string };

/**
 * In SQL: the present moment in whole milliseconds, like all moments that merchants see. PostgreSQL's own `now()` is
 * the start of the transaction, before it locked the wallet: a merchant's entries could have times in the wrong order.
 */
const now = (): string => `date_trunc('milliseconds', statement_timestamp())`;

/** Wallets and their transfers. */
@Injectable()
export class WalletsRepository {
  constructor(
    private readonly reads: BoundedReadsService,
    private readonly database: Database,
  ) {}

  find(merchantId: number): Promise<Wallet | null> {
    return this.database.manager.findOneBy(Wallet, { merchant_id: merchantId });
  }

  /** All wallets, the lowest available balance first. */
  async list(): Promise<OwnedWallet[]> {
    const { entities, raw } = await this.database.manager
      .createQueryBuilder(Wallet, 'wallet')
      .innerJoin(Merchant, 'merchant', 'merchant.id = wallet.merchant_id')
      .addSelect('merchant.name', 'name')
      .addSelect('merchant.sandbox', 'sandbox')
      .orderBy('wallet.available')
      .addOrderBy('wallet.merchant_id')
      .getRawAndEntities<Pick<Merchant, 'name' | 'sandbox'>>();
    return entities.map((wallet, index) => {
      const { name, sandbox } = present(raw[index], 'a row has its raw row');
      return { ...wallet, name, sandbox };
    });
  }

  lock({ manager }: Transaction, merchantId: number): Promise<Wallet | null> {
    return manager.findOne(Wallet, {
      where: { merchant_id: merchantId },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Locks wallets in the order of their merchants.
   * @param wait `never` skips wallets that another transaction has locked. Otherwise the statement waits for them, as long as the
   * transaction's lock timeout allows.
   */
  lockMany(tx: Queryable, merchantIds: number[], wait: LockWait = 'briefly'): Promise<LockedWallet[]> {
    return tx.query<LockedWallet>(wait === 'never' ? LOCK_FREE_WALLETS : LOCK_WALLETS, [[...new Set(merchantIds)]]);
  }

  /**
   * Entries of a wallet, newest first: movements into and out of its available balance.
   * @param before the last id of the previous page, null for the first page.
   */
  listEntries(merchantId: number, before: bigint | null, limit: number): Promise<EntryRow[]> {
    return this.reads.list<EntryRow>(ENTRIES_PAGE, [merchantId, before, limit]);
  }

  /** The credit or debit with this reference. */
  findMovement(
    { manager }: Pick<Database, 'manager'>,
    merchantId: number,
    reference: string,
  ): Promise<Transfer | null> {
    return manager.findOneBy(Transfer, { merchant_id: merchantId, reference });
  }

  /** Writes the transfer and the new balance. The caller must hold the wallet's lock. */
  async move({ manager }: Transaction, movement: NewMovement): Promise<{ wallet: Wallet; transferId: bigint }> {
    const { merchantId, kind, availableAfter, ...members } = movement;
    const [debit, credit] = TRANSFER_ACCOUNTS[kind];
    const { amount, reference, note, operator, approvedBy } = members;
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(Transfer)
      .values({
        merchant_id: merchantId,
        kind,
        debit_account: debit,
        credit_account: credit,
        amount,
        available_after: availableAfter,
        reference,
        note,
        operator,
        approved_by: approvedBy,
        created_at: now,
      })
      .returning(['id', 'created_at'])
      .execute();
    const { id, created_at } = present(inserted.generatedMaps[0] as Transfer | undefined, 'a transfer was written');
    await manager.update(Wallet, { merchant_id: merchantId }, { available: availableAfter, updated_at: created_at });
    return { wallet: await manager.findOneByOrFail(Wallet, { merchant_id: merchantId }), transferId: id };
  }

  /** Writes credits and the new balances. The caller must hold the locks of the wallets. */
  creditMany(tx: Transaction, credits: NewCredit[]): Promise<MadeCredit[]> {
    return tx.query<MadeCredit>(...CREDIT_WALLETS.with({ credits }));
  }

  async setAlert({ manager }: Transaction, merchantId: number, below: Satang | null): Promise<Wallet> {
    await manager.update(Wallet, { merchant_id: merchantId }, { alert_below: below });
    return manager.findOneByOrFail(Wallet, { merchant_id: merchantId });
  }
}

import { Injectable } from '@nestjs/common';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import { present } from '../core/invariant.js';
import { Database, type Transaction } from '../database/database.js';
import { SuppliersRepository } from '../suppliers/suppliers.repository.js';
import { offerProblem, toRow, type OfferDefinition, type OfferName } from './offer-definition.js';
import { toOfferView, type OfferView } from './offer-view.js';
import { OffersRepository, type ListedOffer, type OfferKey } from './offers.repository.js';
import type { SupplierOffer } from './supplier-offer.entity.js';

/** The state on which an operator's change of an offer relies. If the present state differs, nothing changes. */
interface ExpectedOffer {
  /** When it was last changed; null for an offer that is added. */
  updatedAt?: Date | null;
  /** The number of routable offers of the product after the change. */
  routable?: number;
}

/** Offers: each product may have any number, at one supplier or several. */
@Injectable()
export class OffersService {
  constructor(
    private readonly database: Database,
    private readonly offers: OffersRepository,
    private readonly suppliers: SuppliersRepository,
  ) {}

  /**
   * Adds an offer, or changes the given members of one.
   * @throws NOT_FOUND for the product or the supplier; BAD_REQUEST naming the first wrong member; CONFLICT if the state
   * is not as expected.
   */
  set(definition: OfferDefinition, by?: Actor, expected: ExpectedOffer = {}): Promise<ListedOffer> {
    return this.database.transaction(async (tx) => {
      const key = await this.keyOf(tx, definition);
      const stored = await this.offers.lock(tx, key);
      assertUnchanged(stored, expected);
      const problem = offerProblem(definition, stored);
      if (problem !== null) throw new AppError('BAD_REQUEST', problem);
      const before = stored && settingsOf(toOfferView(await this.listed(tx, definition)));
      const supplierProduct = await this.offers.findSupplierProduct(tx, key);
      const context = { before: stored, supplierProduct, reason: by?.reason, now: new Date() };
      await this.offers.set(tx, toRow(key, definition, context));
      await this.assertRoutable(tx, definition.sku, expected);
      const offer = await this.listed(tx, definition);
      const now = settingsOf(toOfferView(offer));
      if (JSON.stringify(now) !== JSON.stringify(before)) {
        recordAction(tx, by, { action: 'offer.set', detail: { ...now, before } });
      }
      return offer;
    });
  }

  /** The offers of these products. The offers of one product have the order in which routing tries them. */
  listOf(skus: string[]): Promise<ListedOffer[]> {
    return this.offers.listOf(this.database, skus);
  }

  /** The time of the last change of each offer of a product, by the offer's id. */
  async changes(productId: number): Promise<Map<number, Date>> {
    return new Map((await this.offers.changes(productId)).map(({ id, updated_at }) => [id, updated_at]));
  }

  /** Sorted by SKU, and then in the order in which routing tries offers. @throws NOT_FOUND for the product or the supplier. */
  async list(which: { sku?: string; supplier?: string } = {}): Promise<ListedOffer[]> {
    const { sku, supplier } = which;
    if (sku !== undefined && !(await this.offers.hasProduct(sku))) throw new UnknownResource('product', sku);
    if (supplier !== undefined && !(await this.suppliers.find(supplier))) {
      throw new UnknownResource('supplier', supplier);
    }
    return this.offers.list(this.database, which);
  }

  /** @returns the offer as it was, and the number of offers that the product still has. @throws NOT_FOUND */
  remove(name: OfferName, by?: Actor): Promise<{ removed: ListedOffer; left: number }> {
    return this.database.transaction(async (tx) => {
      const key = await this.keyOf(tx, name);
      const stored = await this.offers.lock(tx, key);
      const { sku, supplier, supplierSku } = name;
      if (!stored) throw new UnknownResource('offer', `${supplierSku} of ${supplier} for ${sku}`);
      const removed = await this.listed(tx, name);
      await this.offers.remove(tx, stored);
      recordAction(tx, by, { action: 'offer.remove', detail: { ...settingsOf(toOfferView(removed)) } });
      return { removed, left: (await this.offers.list(tx, { sku })).length };
    });
  }

  /** @throws CONFLICT */
  private async assertRoutable(tx: Transaction, sku: string, { routable }: ExpectedOffer): Promise<void> {
    if (routable === undefined) return;
    const left = (await this.offers.list(tx, { sku })).filter(({ why_not }) => why_not === null);
    if (left.length !== routable) throw new ChangedMeanwhile('the offers of the product changed meanwhile');
  }

  /** Locks the product. @throws NOT_FOUND */
  private async keyOf(tx: Transaction, { sku, supplier, supplierSku }: OfferName): Promise<OfferKey> {
    const product = await this.offers.lockProduct(tx, sku);
    if (!product) throw new UnknownResource('product', sku);
    const supplierId = (await this.suppliers.idsByCode(tx)).get(supplier);
    if (supplierId === undefined) throw new UnknownResource('supplier', supplier);
    return { product_id: product.id, supplier_id: supplierId, supplier_sku: supplierSku };
  }

  private async listed(tx: Transaction, { sku, supplier, supplierSku }: OfferName): Promise<ListedOffer> {
    const offers = await this.offers.list(tx, { sku, supplier });
    return present(
      offers.find(({ supplier_sku }) => supplier_sku === supplierSku),
      'an offer that is stored is listed',
    );
  }
}

/** @throws CONFLICT */
function assertUnchanged(stored: SupplierOffer | null, { updatedAt }: ExpectedOffer): void {
  if (updatedAt === undefined) return;
  const at = stored?.updated_at.getTime() ?? null;
  if (at !== (updatedAt?.getTime() ?? null)) throw new ChangedMeanwhile('the offer changed meanwhile');
}

/** An offer as the audit log stores it: without the members that depend on other data, such as exchange rates. */
function settingsOf(view: OfferView): object {
  const { cost_baht: _cost, margin_baht: _margin, routable: _routable, why_not: _whyNot, ...settings } = view;
  return settings;
}

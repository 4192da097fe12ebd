import type { ProductAction } from '../../audit-log/audit-log.repository.js';
import { toOfferView } from '../../catalog/offer-view.js';
import type { ListedOffer } from '../../catalog/offers.repository.js';
import type { ProductDefinition } from '../../catalog/product-definition.js';
import type { ProductListing } from '../../catalog/product-listing.service.js';
import type { ProductFilter } from '../../catalog/products.repository.js';
import { groupBy } from '../../core/groups.js';
import { withoutUndefined, pick } from '../../core/members.js';
import { formatBaht, optionalBaht } from '../../core/money.js';
import type { SoldRow } from '../../support/product-sales.repository.js';
import type { Caller } from '../access/caller.js';
import { valuesOf } from '../filters.js';
import type { OfferDto } from './offer.dto.js';
import type {
  ListedProductDto,
  MemberChangeDto,
  ProductActionDto,
  ProductFilterDto,
  SetProductDto,
} from './product.dto.js';

export const toProductFilter = ({ q, supplier, active }: ProductFilterDto): ProductFilter => ({
  ...withoutUndefined({ q, suppliers: valuesOf(supplier) }),
  ...(active === undefined ? {} : { active: active === 'true' }),
});

export const toDefinition = (sku: string, body: SetProductDto): ProductDefinition => ({
  sku,
  ...pick(body, 'name', 'supplier', 'kind', 'active'),
  price: optionalBaht(body.price),
  supplierSku: body.supplier_sku,
  requiresServer: body.requires_server,
  requiresCharacter: body.requires_character,
  maxQuantity: body.max_quantity,
  playerCheck: body.player_check,
});

/** @param today the sales of today; null if they are unknown. */
export function toListedProductDto(
  { product, offers, inUse }: ProductListing,
  caller: Caller,
  today: ReadonlyMap<string, Pick<SoldRow, 'sold' | 'failed'>> | null,
): ListedProductDto {
  const view = inUse && toOfferView(inUse);
  const seesCosts = caller.may('costs.read');
  const sales = today && (today.get(product.sku) ?? { sold: 0, failed: 0 });
  return {
    ...pick(product, 'sku', 'name', 'active', 'kind', 'requires_server', 'requires_character', 'max_quantity'),
    price: formatBaht(product.price),
    supplier: view?.supplier ?? null,
    supplier_sku: view?.supplier_sku ?? null,
    routable: view?.routable ?? false,
    why_not: view === null ? 'it has no offer' : view.why_not,
    offers: offers.length,
    cost_baht: (seesCosts && view?.cost_baht) || null,
    cost_currency: (seesCosts && view?.currency) || null,
    margin_baht: (seesCosts && view?.margin_baht) || null,
    sold_today: sales?.sold ?? null,
    failed_today: sales?.failed ?? null,
    updated_at: product.updated_at,
  };
}

/** @param inUse the offer in use, see {@link ProductListing}. @param changes the time of the last change, by the offer's id. */
export function toOfferDto(
  offer: ListedOffer,
  caller: Caller,
  { inUse, changes }: { inUse: ListedOffer | null; changes?: ReadonlyMap<number, Date> },
): OfferDto {
  const view = toOfferView(offer);
  const hidden = { cost: null, currency: null, cost_baht: null, margin_baht: null };
  return {
    ...view,
    ...(caller.may('costs.read') ? {} : hidden),
    in_use: offer.why_not === null && offer.id === inUse?.id,
    updated_at: changes?.get(offer.id) ?? null,
  };
}

/** Members of an offer that need the permission to see costs. */
const COSTS = new Set(['cost', 'currency', 'cost_baht', 'margin_baht']);
/** Members of an entry's detail that name or explain the action. */
const ABOUT = new Set(['sku', 'before', 'reason', 'file', 'match', 'percent']);
/** Members that identify the offer of an offer's action. In `product.set`, they are changes: the supplier and SKU of the first offer. */
const OFFER = new Set(['supplier', 'supplier_sku']);

type Detail = Record<string, unknown>;
interface MemberChange {
  member: string;
  old?: unknown;
  new?: unknown;
}
interface Difference {
  sku: string;
  merchant_id?: number | null;
  changes?: MemberChange[];
  old?: unknown;
  new?: unknown;
}

/**
 * The parts of an entry of the audit log that are about one product: one for its own changes, and one for each merchant whose
 * price changed with it.
 */
export function toProductActionDtos(entry: ProductAction, sku: string, caller: Caller): ProductActionDto[] {
  const { detail, action, merchant_id } = entry;
  const toDto = (merchant: number | null, changes: MemberChangeDto[]): ProductActionDto => ({
    id: String(entry.id),
    at: entry.created_at,
    operator: entry.operator,
    action,
    merchant_id: merchant,
    supplier: action.startsWith('offer.') ? textOf(detail.supplier) : null,
    file: textOf(detail.file),
    reason: textOf(detail.reason),
    changes: changes.filter(({ member }) => caller.may('costs.read') || !COSTS.has(member)),
  });
  if (!('changes' in detail)) return [toDto(merchant_id, ofOne(detail, action))];
  const own = (detail.changes as Difference[]).filter((each) => each.sku === sku);
  // An import of an earlier version names a product that it adds, without changes.
  if (own.length === 0) return [toDto(merchant_id, [])];
  const byMerchant = groupBy(own, (each) => merchant_id ?? each.merchant_id ?? null);
  return [...byMerchant].map(([merchant, differences]) => toDto(merchant, differences.flatMap(ofMany)));
}

const ofMany = ({ changes, old, new: now }: Difference): MemberChangeDto[] =>
  changes?.map(toMemberChangeDto) ?? [toMemberChangeDto({ member: 'price', old, new: now })];

/**
 * The changes in an entry about one product, price or offer. `detail` has the new values, or the old ones for
 * `offer.remove`. For `product.set`, `before` has only the changed members. For `offer.set`, it has all members. For a
 * new product, offer or price, `before` is null. For `price.clear`, only `before` has the price. Price entries that an
 * earlier version wrote have no `before`.
 */
function ofOne(detail: Detail, action: string): MemberChangeDto[] {
  const before = (detail.before ?? {}) as Detail;
  const members = Object.keys({ ...detail, ...before }).filter(
    (member) => !ABOUT.has(member) && member !== 'list_price' && (action === 'product.set' || !OFFER.has(member)),
  );
  if (action === 'offer.remove')
    return members.map((member) => toMemberChangeDto({ member, old: detail[member], new: null }));
  if (action === 'product.set' && detail.before !== null) {
    return Object.keys(before).map((member) => toMemberChangeDto({ member, old: before[member], new: detail[member] }));
  }
  return members
    .filter((member) => JSON.stringify(before[member] ?? null) !== JSON.stringify(detail[member] ?? null))
    .map((member) => toMemberChangeDto({ member, old: before[member], new: detail[member] }));
}

export const toMemberChangeDto = ({ member, old, new: now }: MemberChange): MemberChangeDto => ({
  member,
  old: textOf(old),
  new: textOf(now),
});

export function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

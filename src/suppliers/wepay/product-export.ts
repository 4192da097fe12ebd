import { storable } from '../../core/text.js';
import { readPattern } from '../player-pattern.js';
import type { CatalogueReading, ProductReading, SupplierProduct } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import { asList, asMembers, nameOf, productIn, shownText, textOf, type Members } from '../adapter-answers.js';
import { denominationOf, writeAmount } from './purchase-request.js';
import { unavailable } from './wepay-data.js';

const TYPES = ['gtopup', 'mtopup', 'cashcard', 'billpay'] as const;
const MAX_NAME_LENGTH = 200;

/**
 * Reads the products in an answer to `GET /comp_export.php?json`. An answer without any list of products is unavailable: it does not
 * prove that products are gone.
 */
export function readExport(answer: HttpAnswer): CatalogueReading {
  const data = answer.status === 200 ? asMembers(asMembers(answer.body)?.data) : undefined;
  if (!data || !TYPES.some((type) => Array.isArray(data[type]))) return unavailable(answer);
  const products = TYPES.flatMap((type) =>
    asList(data[type]).flatMap((company) => readCompany(type, asMembers(company) ?? {})),
  );
  return { known: true, products };
}

/** Finds the product of one SKU in an answer that contains the export. */
export const readExportOf = (answer: HttpAnswer, sku: string): ProductReading => productIn(readExport(answer), sku);

/** One product for each amount. Skips a price of 0, which means that the company sells nothing at present. */
function readCompany(type: string, company: Members): SupplierProduct[] {
  const id = nameOf(company.company_id);
  if (id === undefined) return [];
  const name = plainText(company.company_name) || id;
  const note = asList(company.congestion).length > 0 ? congestionInWords(company.congestion) : null;
  const pattern = type === 'cashcard' ? null : readPattern(textOf(asMembers(company.refs_format)?.ref1));
  return asList(company.denomination).flatMap((each) => {
    const { price, description } = asMembers(each) ?? {};
    const sku = `${type}:${id}:${writeAmount(textOf(price) ?? '')}`;
    if (!isPrice(textOf(price)) || denominationOf(sku) === null) return [];
    return [
      {
        sku,
        group: `${type} / ${name}`,
        // The export has face values, and not the prices that we pay.
        cost: null,
        sellable: true,
        stock: null,
        name: storable(`${name} ${plainText(description) || textOf(price)}`, MAX_NAME_LENGTH),
        oncePerDay: false,
        cutOff: null,
        note,
        playerPattern: pattern,
      },
    ];
  });
}

const isPrice = (price: string | undefined): boolean => price !== undefined && /[1-9]/.test(price);

function congestionInWords(congestion: unknown): string {
  const words = asList(congestion).map(plainText).filter(Boolean).join(', ');
  return shownText(words === '' ? 'delayed' : `delayed: ${words}`);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** The supplier's text without its markup. The outer `shownText` trims the blanks that tags and entities leave. */
const plainText = (member: unknown): string =>
  shownText(
    shownText(member)
      .replace(/<[^>]*>/g, ' ')
      .replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
      .replace(/\s+/g, ' '),
  );

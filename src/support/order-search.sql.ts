import { FAILURE_CODES, type FailureCode } from '../core/failures.js';
import type { BoundStatement } from '../database/database.js';
import { firstIdSince, selectFirstIdSince } from '../database/first-id-since.sql.js';
import { hasStatus, orderColumns } from '../orders/order-columns.sql.js';
import { STORED_ORDER_COLUMNS, type OrderRow } from '../orders/order.rows.js';
import { isTerminalOrder, type OrderStatus } from '../orders/states.js';

/** A list that is not empty. An order matches if it has any of the values. */
type AnyOf<Value> = readonly [Value, ...Value[]];

/** The conditions on an order. An absent condition matches every order. */
interface OrderFilter {
  statuses?: AnyOf<OrderStatus> | undefined;
  merchantIds?: AnyOf<number> | undefined;
  /** With an item of this product. */
  sku?: string | undefined;
  /** With an item whose first attempts are at one of these suppliers. */
  supplierIds?: AnyOf<number> | undefined;
  failureCodes?: AnyOf<FailureCode> | undefined;
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdTo?: Date | undefined;
}

/** The filter of a list that one statement reads. */
export interface ListFilter extends OrderFilter {
  /** Created at least this many seconds ago. */
  olderThan?: number | undefined;
  /** With a unit in review. */
  review?: boolean | undefined;
  reference?: string | undefined;
  userId?: string | undefined;
  limit: number;
}

/** The filter of a list that is read page by page. */
export interface PageFilter extends OrderFilter {
  /** Only these orders. */
  ids?: bigint[] | undefined;
}

/** The last order of a page: the next page begins after this order. */
export interface OrderPlace {
  createdAt: Date;
  id: bigint;
}

export interface PageQuery extends PageFilter {
  /** The range of ids that holds every order of the filter's time. */
  firstId: bigint;
  /** Exclusive. */
  endId: bigint;
  after: OrderPlace | null;
  limit: number;
}

/** An order with its merchant's name. */
export type NamedOrderRow = OrderRow & { merchant_name: string };

export const FIRST_ID_SINCE = firstIdSince('order_overview.first_id_since', 'orders');

/**
 * An order's time is PostgreSQL's, read before the order gets its id, and PostgreSQL's clock may be set back. So a
 * lower id may have a later time, by up to this margin.
 */
export const MARGIN_MS = 600_000;

/** Adds a value to the statement. @returns the value's placeholder, such as `$1`. */
type Add = (value: unknown) => string;

type Conditions = Omit<ListFilter, 'limit'>;
type Part = keyof Conditions;

/** Compares with one value, or with any of several. */
const isAnyOf = (column: string, values: AnyOf<number | string>, type: 'int' | 'text', add: Add): string =>
  values.length === 1 ? `${column} = ${add(values[0])}` : `${column} = ANY(${add(values)}::${type}[])`;

const hasAnyStatus = (statuses: AnyOf<OrderStatus>): string =>
  statuses.length === 1
    ? hasStatus('o', statuses[0])
    : `(${statuses.map((status) => `(${hasStatus('o', status)})`).join(' OR ')})`;

/** For each part of a filter, the SQL condition on order `o`. */
const CONDITIONS: { [Name in Part]-?: (add: Add, value: NonNullable<Conditions[Name]>) => string } = {
  statuses: (_add, statuses) => hasAnyStatus(statuses),
  olderThan: (add, seconds) => `o.created_at <= now() - make_interval(secs => ${add(seconds)})`,
  review: () => `o.id IN (SELECT order_id FROM order_units WHERE state = 'review')`,
  merchantIds: (add, ids) => isAnyOf('o.merchant_id', ids, 'int', add),
  reference: (add, reference) => `o.reference_id = ${add(reference)}`,
  userId: (add, userId) => `o.user_id = ${add(userId)}`,
  sku: (add, sku) => `EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id AND i.sku = ${add(sku)})`,
  supplierIds: (add, ids) =>
    `EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id AND ${isAnyOf('i.supplier_id', ids, 'int', add)})`,
  createdFrom: (add, moment) => `o.created_at >= ${add(moment)}::timestamptz`,
  createdTo: (add, moment) => `o.created_at < ${add(moment)}::timestamptz`,
  failureCodes: (add, codes) => isAnyOf('o.failure_code', codes, 'text', add),
};

const PARTS = Object.keys(CONDITIONS) as Part[];
const TIME: Part[] = ['createdFrom', 'createdTo'];

const isGiven = (filter: Conditions, part: Part): boolean => filter[part] !== undefined && filter[part] !== false;

const conditionsOf = (filter: Conditions, add: Add, parts: Part[]): string[] =>
  parts
    .filter((part) => isGiven(filter, part))
    .map((part) => (CONDITIONS[part] as (add: Add, value: unknown) => string)(add, filter[part]));

/** @param known the parts that the statement covers in another way. */
const otherConditions = (filter: Conditions, add: Add, known: Part[]): string[] =>
  conditionsOf(
    filter,
    add,
    PARTS.filter((part) => !known.includes(part)),
  );

const and = (conditions: string[]): string => conditions.map((condition) => ` AND ${condition}`).join('');

/**
 * The text depends on the filter, so the statement has no name: a connection keeps each named statement until it closes, and
 * filters make thousands of texts.
 */
function withValues(textOf: (add: Add) => string): BoundStatement {
  const values: unknown[] = [];
  const text = textOf((value) => `$${values.push(value)}`);
  return { statement: { name: '', text }, values };
}

/** Subqueries select only stored columns, because they also read orders that the page does not show. */
const COLUMNS = STORED_ORDER_COLUMNS.replace(/\w+/g, 'o.$&');
const BY_TIME = 'ORDER BY o.created_at DESC, o.id DESC';
const BY_ID = 'ORDER BY o.id DESC';

const areOpen = (statuses: readonly OrderStatus[]): boolean => !statuses.some(isTerminalOrder);

/** Lists matching orders, newest first, up to the limit. Reads the index of the condition that usually matches the fewest. */
export function listOrders(filter: ListFilter): BoundStatement {
  const { review, sku, supplierIds, failureCodes, statuses, reference, userId } = filter;
  const listed = (add: Add): string => {
    if (reference !== undefined || userId !== undefined) return listByMerchant(filter, add);
    if (review) return listDirectly(filter, add);
    if (sku !== undefined) return listByItem(filter, add, 'sku', `i.sku = ${add(sku)}`);
    if (failureCodes || (statuses && areOpen(statuses))) return listDirectly(filter, add);
    if (supplierIds) return listByItem(filter, add, 'supplierIds', isAnyOf('i.supplier_id', supplierIds, 'int', add));
    return listByMerchant(filter, add);
  };
  return withValues((add) => `SELECT ${orderColumns('o')} FROM (${listed(add)}) o ${BY_TIME}`);
}

const listDirectly = (filter: ListFilter, add: Add): string => `
  SELECT ${COLUMNS} FROM orders o WHERE true${and(otherConditions(filter, add, []))} ${BY_TIME} LIMIT ${add(filter.limit)}`;

/** The indexes begin with the merchant: one read for each merchant is faster than a read of all orders. */
function listByMerchant(filter: ListFilter, add: Add): string {
  const limit = add(filter.limit);
  const merchant = filter.merchantIds ? `WHERE ${isAnyOf('m.id', filter.merchantIds, 'int', add)}` : '';
  return `SELECT o.* FROM merchants m CROSS JOIN LATERAL (
            SELECT ${COLUMNS} FROM orders o
            WHERE o.merchant_id = m.id${and(otherConditions(filter, add, ['merchantIds']))} ${BY_TIME} LIMIT ${limit}) o
          ${merchant} ${BY_TIME} LIMIT ${limit}`;
}

/**
 * Several items of an order may match, so the statement removes duplicates. It sorts by the negated id, because the items'
 * indexes give that order, newest first. A read by the orders' time might skip a million orders before the first match.
 * For the same reason, the filter's time also limits the ids.
 */
const listByItem = (filter: ListFilter, add: Add, part: Part, condition: string): string => `
  SELECT o.* FROM (
    SELECT DISTINCT ON (-i.order_id) ${COLUMNS} FROM order_items i JOIN orders o ON o.id = i.order_id
    WHERE ${condition}${and([...idsOfTime(filter, add), ...otherConditions(filter, add, [part])])}
    ORDER BY -i.order_id LIMIT ${add(filter.limit)}) o
  ${BY_TIME}`;

function idsOfTime({ createdFrom, createdTo }: Conditions, add: Add): string[] {
  const firstSince = (moment: Date, marginMs: number): string =>
    `(${selectFirstIdSince('orders', `${add(new Date(moment.getTime() + marginMs))}::timestamptz`)})`;
  return [
    ...(createdFrom ? [`-i.order_id <= -${firstSince(createdFrom, -MARGIN_MS)}`] : []),
    ...(createdTo ? [`-i.order_id > -${firstSince(createdTo, MARGIN_MS)}`] : []),
  ];
}

/** The index from which a statement reads a page. */
export type AccessPath = 'ids' | 'open' | 'sku' | 'failure' | 'merchant' | 'supplier' | 'failed' | 'all';

/** One statement reads at most this many rows of a partial path, even if few of them match. */
export const MAX_SCANNED = 2_000;
/** The count of a path stops here: one statement can read all orders of a path that has fewer. */
const MAX_COUNTED = 1_000;

/** The parts of a filter that the index of a path covers. Two paths may cover more: {@link uncoveredConditions}. */
const COVERED: Record<AccessPath, Part[]> = {
  ids: [],
  open: TIME,
  sku: ['sku'],
  failure: ['failureCodes', 'statuses', ...TIME],
  merchant: ['merchantIds', ...TIME],
  supplier: ['supplierIds'],
  failed: TIME,
  all: ['statuses'],
};

const isByTime = (path: AccessPath): boolean => COVERED[path].includes('createdTo');
const isByItem = (path: AccessPath): boolean => path === 'sku' || path === 'supplier';
/** Whether the index of a path has ids but no times. Such a path needs the range of ids of the filter's time. */
export const isById = (path: AccessPath): boolean => path === 'all' || isByItem(path);

/** Returns the paths that serve a filter. The first one usually has the fewest orders. */
export function pathsOf(filter: PageFilter): [AccessPath, ...AccessPath[]] {
  const { ids, sku, statuses, failureCodes, supplierIds, merchantIds } = filter;
  if (ids) return ['ids'];
  const paths: AccessPath[] = [];
  if (statuses && areOpen(statuses)) paths.push('open');
  if (sku !== undefined) paths.push('sku');
  if (failureCodes) paths.push('failure');
  if (merchantIds) paths.push('merchant');
  if (statuses?.includes('failed') && !statuses.includes('completed') && !failureCodes && !merchantIds)
    paths.push('failed');
  if (supplierIds) paths.push('supplier');
  const [first = 'all', ...others] = paths;
  return [first, ...others];
}

/** Whether no order can match, because only failed orders have a failure code. */
export const isContradiction = ({ statuses, failureCodes }: PageFilter): boolean =>
  failureCodes !== undefined && statuses !== undefined && !statuses.includes('failed');

/**
 * Whether one statement may find fewer orders than match: if several items may lead to one order, or if the path sorts
 * by time and its index does not cover a part of the filter.
 */
export const isPartial = (path: AccessPath, query: PageQuery): boolean =>
  isByItem(path) || (isByTime(path) && uncoveredConditions(path, query, String).length > 0);

/** Orders that match, newest first. On a partial path, only matches among the next {@link MAX_SCANNED} rows. */
export const pageOfOrders = (path: AccessPath, query: PageQuery): BoundStatement =>
  withValues((add) => {
    const order = isByTime(path) ? BY_TIME : BY_ID;
    return `SELECT ${orderColumns('o')}, m.name AS merchant_name FROM (${matching(path, query, add)}) o
            JOIN merchants m ON m.id = o.merchant_id ${order}`;
  });

/** The last order that {@link pageOfOrders} reads on a partial path; no row if it reads the path to its end. */
export const lastScanned = (path: AccessPath, query: PageQuery): BoundStatement =>
  withValues((add) => {
    const last = `${scan(path, query, add)} OFFSET ${MAX_SCANNED - 1} LIMIT 1`;
    return isByItem(path) ? `SELECT o.created_at, o.id FROM (${last}) i JOIN orders o ON o.id = i.order_id` : last;
  });

/** The number of rows on each path, at most {@link MAX_COUNTED} + 1. */
export const countPaths = (paths: AccessPath[], query: PageQuery): BoundStatement =>
  withValues((add) => {
    const counts = paths.map(
      (path) => `(SELECT count(*)::int FROM (${scan(path, query, add)} LIMIT ${MAX_COUNTED + 1}) counted) AS "${path}"`,
    );
    return `SELECT ${counts.join(', ')}`;
  });

/**
 * The matching orders of a path. Conditions that the path's index does not cover stand outside the limited scan: inside it,
 * PostgreSQL might sort all orders of a day, a product or a supplier instead of reading the path's index.
 */
function matching(path: AccessPath, query: PageQuery, add: Add): string {
  const where = and(uncoveredConditions(path, query, add));
  const limit = (): string => `LIMIT ${add(query.limit)}`;
  if (isByItem(path))
    return `SELECT DISTINCT ON (i.place) ${COLUMNS}
            FROM (${scan(path, query, add)} LIMIT ${MAX_SCANNED}) i JOIN orders o ON o.id = i.order_id
            WHERE true${where} ORDER BY i.place ${limit()}`;
  if (where === '') return `${scan(path, query, add, COLUMNS)} ${limit()}`;
  // Ids limit these two paths already. On `all`, the range of ids has only the orders of some minutes too many.
  const bound = path === 'all' || path === 'ids' ? 'OFFSET 0' : `LIMIT ${MAX_SCANNED}`;
  const order = isByTime(path) ? BY_TIME : BY_ID;
  return `SELECT o.* FROM (${scan(path, query, add, COLUMNS)} ${bound}) o WHERE true${where} ${order} ${limit()}`;
}

/** The rows of a path after the query's place, sorted as the path's index: orders, or items with the id of their order. */
function scan(path: AccessPath, query: PageQuery, add: Add, columns = 'o.created_at, o.id'): string {
  const byTime = (...conditions: string[]): string => {
    const all = [...conditions, ...conditionsOf(query, add, TIME), ...afterPlace(query, add)];
    return `SELECT ${columns} FROM orders o WHERE ${all.join(' AND ')} ${BY_TIME}`;
  };
  const byId = (...conditions: string[]): string => {
    const all = [...conditions, ...(query.after ? [`o.id < ${add(query.after.id)}::bigint`] : [])];
    return `SELECT ${columns} FROM orders o WHERE ${all.join(' AND ')} ${BY_ID}`;
  };
  /**
   * The rows of several scans, sorted as each of them. No statement uses more than MAX_SCANNED rows, so the limit of
   * each scan loses none. It makes PostgreSQL read the scan in the order of its index instead of sorting all its rows.
   */
  const merged = (scans: string[], sorted: string, of = columns): string =>
    scans.length === 1
      ? scans.join('')
      : `SELECT ${of} FROM (${scans.map((each) => `(${each} LIMIT ${MAX_SCANNED})`).join(' UNION ALL ')}) o ${sorted}`;
  const { statuses, failureCodes = [], merchantIds = [], supplierIds = [] } = query;
  switch (path) {
    case 'sku':
      return scanItems(query, add, `i.sku = ${add(query.sku)}`);
    case 'supplier':
      return merged(
        supplierIds.map((id) => scanItems(query, add, `i.supplier_id = ${add(id)}`)),
        'ORDER BY place',
        'order_id, place',
      );
    // The indexes of failed orders begin with the code or the merchant. So the statement reads each code and merges the rows.
    case 'failure':
      return merged(
        failureCodes.map((code) => byTime(`o.failure_code = ${add(code)}`)),
        BY_TIME,
      );
    case 'failed': {
      const scans = FAILURE_CODES.map((code) => byTime(`o.failure_code = '${code}'`));
      return merged(statuses?.some((each) => !isTerminalOrder(each)) ? [...scans, byTime(IS_OPEN)] : scans, BY_TIME);
    }
    case 'merchant': {
      const failed = isFailedOnly(query) ? [hasStatus('o', 'failed')] : [];
      return merged(
        merchantIds.map((id) => byTime(`o.merchant_id = ${add(id)}`, ...failed)),
        BY_TIME,
      );
    }
    case 'open':
      // The index holds only open orders, but not their status.
      return byTime(IS_OPEN);
    case 'ids':
      return byId(`o.id = ANY(${add(query.ids)}::bigint[])`);
    case 'all': {
      const status = conditionsOf(query, add, ['statuses']);
      return byId(`o.id >= ${add(query.firstId)}::bigint`, `o.id < ${add(query.endId)}::bigint`, ...status);
    }
  }
}

const IS_OPEN = `o.status IN ('pending', 'processing')`;
const isFailedOnly = ({ statuses }: PageFilter): boolean => statuses?.length === 1 && statuses[0] === 'failed';

/** Newest first, because the indexes of items hold the negated ids of orders. Several items of an order may match. */
const scanItems = ({ firstId, endId, after }: PageQuery, add: Add, condition: string): string => `
  SELECT i.order_id, -i.order_id AS place FROM order_items i
  WHERE ${condition} AND -i.order_id > ${add(-(after && after.id < endId ? after.id : endId))}::bigint
    AND -i.order_id <= ${add(-firstId)}::bigint
  ORDER BY -i.order_id`;

/** The conditions for orders after the query's place. The second implies the first, but an index can only search the first. */
function afterPlace({ after }: PageQuery, add: Add): string[] {
  if (!after) return [];
  const moment = `${add(after.createdAt)}::timestamptz`;
  return [`o.created_at <= ${moment}`, `(o.created_at, o.id) < (${moment}, ${add(after.id)}::bigint)`];
}

/** The conditions that the index of a path does not cover. */
function uncoveredConditions(path: AccessPath, query: PageQuery, add: Add): string[] {
  // `merchant` has an index of failed orders alone. `failed` has only these, unless it also reads all open orders.
  const coversStatus = (path === 'merchant' || path === 'failed') && isFailedOnly(query);
  return otherConditions(query, add, coversStatus ? [...COVERED[path], 'statuses'] : COVERED[path]);
}

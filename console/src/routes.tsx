import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { FAILURE_CODES } from './failure-codes';
import type { Area } from './i18n/areas';
import { loadArea } from './i18n/words';
import { Failure, Loading, NotFound } from './kit/states';
import { choice, day, said, text, whole } from './search-params';
import { follow, sessionQuery } from './session';
import { Shell } from './shell/shell';

interface Context {
  queries: QueryClient;
}

/** A page with the texts of its area, or of several. */
const inArea =
  <Page,>(area: Area | readonly Area[], load: () => Promise<Page>) =>
  async (): Promise<Page> =>
    (await Promise.all([load(), ...[area].flat().map((each) => loadArea(each))]))[0];

/** What orders are filtered by. */
const orderFilters = (search: Record<string, unknown>) => ({
  status: choice(search.status, ['pending', 'processing', 'completed', 'failed']),
  sku: text(search.sku),
  supplier: text(search.supplier),
  failure: choice(search.failure, FAILURE_CODES),
  from: day(search.from),
  to: day(search.to),
  q: text(search.q),
});

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  // What every list may have; each route adds its own filters.
  validateSearch: (search: Record<string, unknown>) => said({ cursor: text(search.cursor) }),
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>) => said({ next: text(search.next) }),
  component: lazyRouteComponent(() => import('./pages/sign-in/login'), 'Login'),
});

const setPassword = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: lazyRouteComponent(() => import('./pages/sign-in/set-password'), 'SetPassword'),
});

/** Every page that asks for somebody who is signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) {
      // oxlint-disable-next-line typescript/only-throw-error -- that is how the router redirects
      throw redirect({ to: '/login', search: { next: location.href === '/' ? undefined : location.href } });
    }
    await follow(session);
    // Until then the process answers nothing else.
    if (session.state === 'second_factor_required' && location.pathname !== '/me') {
      // oxlint-disable-next-line typescript/only-throw-error -- that is how the router redirects
      throw redirect({ to: '/me' });
    }
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(
    inArea('home', () => import('./pages/home/home')),
    'Home',
  ),
});

const orders = createRoute({
  getParentRoute: () => shell,
  path: '/orders',
  validateSearch: (search: Record<string, unknown>) =>
    said({ ...orderFilters(search), merchant: whole(search.merchant) }),
  component: lazyRouteComponent(
    inArea('orders', () => import('./pages/orders/orders')),
    'Orders',
  ),
});

const order = createRoute({
  getParentRoute: () => shell,
  path: '/orders/$number',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      timeline: choice(search.timeline, ['units']),
      only: choice(search.only, ['failures']),
      resolve: text(search.resolve),
    }),
  component: lazyRouteComponent(
    inArea('orders', () => import('./pages/orders/order')),
    'Order',
  ),
});

const review = createRoute({
  getParentRoute: () => shell,
  path: '/review',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      supplier: text(search.supplier),
      state: choice(search.state, ['review', 'unknown']),
    }),
  component: lazyRouteComponent(
    inArea('orders', () => import('./pages/review/review')),
    'Review',
  ),
});

const merchants = createRoute({
  getParentRoute: () => shell,
  path: '/merchants',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      q: text(search.q),
      status: choice(search.status, ['active', 'suspended']),
      sandbox: choice(search.sandbox, ['true', 'false']),
      low: choice(search.low, ['true']),
    }),
  component: lazyRouteComponent(
    inArea('merchants', () => import('./pages/merchants/merchants')),
    'Merchants',
  ),
});

const merchant = createRoute({
  getParentRoute: () => shell,
  path: '/merchants/$id',
  component: lazyRouteComponent(
    inArea('merchants', () => import('./pages/merchants/merchant')),
    'Merchant',
  ),
});

const merchantOverview = createRoute({
  getParentRoute: () => merchant,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/merchants/overview'), 'Overview'),
});

const merchantOrders = createRoute({
  getParentRoute: () => merchant,
  path: '/orders',
  validateSearch: (search: Record<string, unknown>) => said(orderFilters(search)),
  component: lazyRouteComponent(
    inArea('orders', () => import('./pages/merchants/merchant-orders')),
    'MerchantOrders',
  ),
});

const merchantStatement = createRoute({
  getParentRoute: () => merchant,
  path: '/statement',
  validateSearch: (search: Record<string, unknown>) => said({ kind: choice(search.kind, ['funding']) }),
  component: lazyRouteComponent(() => import('./pages/merchants/statement'), 'Statement'),
});

const merchantKeys = createRoute({
  getParentRoute: () => merchant,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/merchants/keys'), 'Keys'),
});

const merchantPrices = createRoute({
  getParentRoute: () => merchant,
  path: '/prices',
  validateSearch: (search: Record<string, unknown>) =>
    said({ q: text(search.q), own: choice(search.own, ['true']) }),
  component: lazyRouteComponent(() => import('./pages/merchants/prices'), 'Prices'),
});

const merchantLog = createRoute({
  getParentRoute: () => merchant,
  path: '/log',
  component: lazyRouteComponent(
    inArea('log', () => import('./pages/merchants/merchant-log')),
    'MerchantLog',
  ),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: (search: Record<string, unknown>) =>
    said({ status: choice(search.status, ['active', 'inactive']), merchant: whole(search.merchant) }),
  component: lazyRouteComponent(
    inArea(['webhooks', 'orders'], () => import('./pages/webhooks/webhooks')),
    'Webhooks',
  ),
});

/** What lists of deliveries are filtered by, and which one is shown beside. */
const deliverySearch = (search: Record<string, unknown>) => ({
  status: choice(search.status, ['pending', 'succeeded', 'failed', 'cancelled']),
  event: choice(search.event, ['order.completed', 'order.failed', 'wallet.low_balance', 'webhook.test']),
  from: day(search.from),
  delivery: whole(search.delivery),
});

const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks/$id',
  validateSearch: (search: Record<string, unknown>) =>
    said({ ...deliverySearch(search), job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea(['webhooks', 'orders', 'reports'], () => import('./pages/webhooks/webhook')),
    'Webhook',
  ),
});

const deliveries = createRoute({
  getParentRoute: () => shell,
  path: '/deliveries',
  validateSearch: (search: Record<string, unknown>) =>
    said({ ...deliverySearch(search), merchant: whole(search.merchant) }),
  component: lazyRouteComponent(
    inArea(['webhooks', 'orders', 'reports'], () => import('./pages/webhooks/deliveries')),
    'Deliveries',
  ),
});

const dailyReport = createRoute({
  getParentRoute: () => shell,
  path: '/reports/daily',
  validateSearch: (search: Record<string, unknown>) =>
    said({ date: day(search.date), zone: text(search.zone), job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea('reports', () => import('./pages/reports/daily')),
    'DailyReport',
  ),
});

const supplierReport = createRoute({
  getParentRoute: () => shell,
  path: '/reports/supplier',
  validateSearch: (search: Record<string, unknown>) =>
    said({ code: text(search.code), since: day(search.since), job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea('reports', () => import('./pages/reports/supplier')),
    'SupplierReport',
  ),
});

const marginReport = createRoute({
  getParentRoute: () => shell,
  path: '/reports/margin',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      from: day(search.from),
      to: day(search.to),
      by: choice(search.by, ['sku', 'supplier', 'merchant']),
      job: whole(search.job),
    }),
  component: lazyRouteComponent(
    inArea('reports', () => import('./pages/reports/margin')),
    'MarginReport',
  ),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>) => said({ job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea('reports', () => import('./pages/reports/audit')),
    'Audit',
  ),
});

interface ProductFilters {
  q: string | undefined;
  supplier: string | undefined;
  active: 'true' | 'false' | undefined;
}

const productFilters = (search: Record<string, unknown>): ProductFilters => ({
  q: text(search.q),
  supplier: text(search.supplier),
  active: choice(search.active, ['true', 'false']),
});

const products = createRoute({
  getParentRoute: () => shell,
  path: '/products',
  validateSearch: (search: Record<string, unknown>) => said(productFilters(search)),
  component: lazyRouteComponent(
    inArea('products', () => import('./pages/products/products')),
    'Products',
  ),
});

const productImport = createRoute({
  getParentRoute: () => shell,
  path: '/products/import',
  validateSearch: (search: Record<string, unknown>) => said({ kind: choice(search.kind, ['prices']) }),
  component: lazyRouteComponent(
    inArea('products', () => import('./pages/products/import')),
    'Import',
  ),
});

const productPrices = createRoute({
  getParentRoute: () => shell,
  path: '/products/prices',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      ...productFilters(search),
      percent: text(search.percent),
      round: choice(search.round, ['0.25', '0.50', '1.00']),
    }),
  component: lazyRouteComponent(
    inArea('products', () => import('./pages/products/prices')),
    'Prices',
  ),
});

const product = createRoute({
  getParentRoute: () => shell,
  path: '/products/$sku',
  validateSearch: (search: Record<string, unknown>) => said({ edit: choice(search.edit, ['definition']) }),
  component: lazyRouteComponent(
    inArea('products', () => import('./pages/products/product')),
    'Product',
  ),
});

const fx = createRoute({
  getParentRoute: () => shell,
  path: '/fx',
  component: lazyRouteComponent(
    inArea('products', () => import('./pages/products/fx')),
    'Fx',
  ),
});

const suppliers = createRoute({
  getParentRoute: () => shell,
  path: '/suppliers',
  component: lazyRouteComponent(
    inArea('suppliers', () => import('./pages/suppliers/suppliers')),
    'Suppliers',
  ),
});

const supplier = createRoute({
  getParentRoute: () => shell,
  path: '/suppliers/$code',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      range: choice(search.range, ['day', 'week']),
      tab: choice(search.tab, ['catalogue']),
      q: text(search.q),
      unmapped: choice(search.unmapped, ['true']),
    }),
  component: lazyRouteComponent(
    inArea('suppliers', () => import('./pages/suppliers/supplier')),
    'Supplier',
  ),
});

const reversals = createRoute({
  getParentRoute: () => shell,
  path: '/reversals',
  validateSearch: (search: Record<string, unknown>) =>
    said({ open: choice(search.open, ['true']), supplier: text(search.supplier) }),
  component: lazyRouteComponent(
    inArea('reversals', () => import('./pages/reversals/reversals')),
    'Reversals',
  ),
});

const search = createRoute({
  getParentRoute: () => shell,
  path: '/search',
  validateSearch: (params: Record<string, unknown>) => said({ q: text(params.q) }),
  component: lazyRouteComponent(
    inArea('search', () => import('./pages/search/search')),
    'Search',
  ),
});

const log = createRoute({
  getParentRoute: () => shell,
  path: '/log',
  validateSearch: (search: Record<string, unknown>) =>
    said({
      operator: text(search.operator),
      action: text(search.action),
      source: choice(search.source, ['console', 'cli']),
      merchant: whole(search.merchant),
      order: text(search.order),
      from: day(search.from),
      to: day(search.to),
    }),
  component: lazyRouteComponent(
    inArea('log', () => import('./pages/log/log')),
    'Log',
  ),
});

const operators = createRoute({
  getParentRoute: () => shell,
  path: '/operators',
  component: lazyRouteComponent(
    inArea('operators', () => import('./pages/operators/operators')),
    'Operators',
  ),
});

const operator = createRoute({
  getParentRoute: () => shell,
  path: '/operators/$id',
  component: lazyRouteComponent(
    inArea('operators', () => import('./pages/operators/operator')),
    'Operator',
  ),
});

const me = createRoute({
  getParentRoute: () => shell,
  path: '/me',
  component: lazyRouteComponent(
    inArea('me', () => import('./pages/me/me')),
    'Me',
  ),
});

const routeTree = root.addChildren([
  login,
  setPassword,
  shell.addChildren([
    ...[home, orders, order, review],
    merchants,
    merchant.addChildren([
      ...[merchantOverview, merchantOrders, merchantStatement],
      ...[merchantKeys, merchantPrices, merchantLog],
    ]),
    ...[products, productImport, productPrices, product, fx],
    ...[suppliers, supplier, reversals],
    ...[webhooks, webhook, deliveries],
    ...[dailyReport, supplierReport, marginReport, audit],
    ...[search, log, operators, operator, me],
  ]),
]);

// eslint-disable-next-line typescript/explicit-module-boundary-types -- the type of the routes is what typed links are made of
export const createConsoleRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingMs: 200,
    defaultPendingComponent: () => <Loading />,
    defaultErrorComponent: ({ error, reset }) => <Failure error={error as Error} onRetry={reset} />,
    defaultNotFoundComponent: () => <NotFound />,
    // Plain text instead of JSON: addresses are read, and typed, by people.
    parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
    stringifySearch: (values) => {
      const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
      return query === '' ? '' : `?${query}`;
    },
  });

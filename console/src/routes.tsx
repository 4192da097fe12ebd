import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { Failure, Loading, NotFound } from './kit/states';
import { approvals } from './routes/approvals';
import { log, me, operator, operators } from './routes/accounts';
import { root, shell } from './routes/base';
import {
  merchant,
  merchantDeposits,
  merchantKeys,
  merchantLog,
  merchantOrders,
  merchantOverview,
  merchantPrices,
  merchants,
  merchantStatement,
  merchantWebhooks,
} from './routes/merchants';
import { channel, channels, deposit, deposits, payments } from './routes/deposits';
import { home, order, orders, review, search } from './routes/orders';
import { fx, product, productImport, productPrices, products } from './routes/products';
import { audit, dailyReport, marginReport, supplierReport } from './routes/reports';
import { companyReturn, login, setPassword } from './routes/sign-in';
import { reversals, supplier, suppliers } from './routes/suppliers';
import { deliveries, webhook, webhooks } from './routes/webhooks';

const routeTree = root.addChildren([
  login,
  companyReturn,
  setPassword,
  shell.addChildren([
    home,
    orders,
    order,
    review,
    approvals,
    deposits,
    deposit,
    payments,
    channels,
    channel,
    merchants,
    merchant.addChildren([
      merchantOverview,
      merchantOrders,
      merchantDeposits,
      merchantStatement,
      merchantKeys,
      merchantPrices,
      merchantWebhooks,
      merchantLog,
    ]),
    products,
    productImport,
    productPrices,
    product,
    fx,
    suppliers,
    supplier,
    reversals,
    webhooks,
    webhook,
    deliveries,
    dailyReport,
    supplierReport,
    marginReport,
    audit,
    search,
    log,
    operators,
    operator,
    me,
  ]),
]);

// eslint-disable-next-line typescript/explicit-module-boundary-types -- the type of the routes is what typed links are made of
export const createConsoleRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // The page of another order or merchant begins anew: until that answers, it must not offer decisions about the earlier one.
    defaultRemountDeps: ({ params }) => params,
    defaultPendingMs: 200,
    defaultPendingComponent: () => <Loading />,
    // A reload, because browsers may remember that a script could not be loaded, and a new version has other scripts.
    defaultErrorComponent: ({ error }) => <Failure error={error as Error} onRetry={() => window.location.reload()} />,
    defaultNotFoundComponent: () => <NotFound />,
    // Plain text instead of JSON, because people read and type addresses.
    parseSearch: (query) => {
      const given = new URLSearchParams(query);
      // A parameter that is repeated has several values.
      return Object.fromEntries([...given.keys()].map((name) => [name, given.getAll(name).join(',')]));
    },
    stringifySearch: (values) => {
      const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
        .toString()
        .replaceAll('%2C', ',');
      return query === '' ? '' : `?${query}`;
    },
  });

import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT, type Key } from '../i18n/words';
import {
  ApprovalsIcon,
  AuditIcon,
  DepositsIcon,
  HomeIcon,
  LogIcon,
  MerchantsIcon,
  OperatorsIcon,
  OrdersIcon,
  ProductsIcon,
  RatesIcon,
  ReportsIcon,
  ReviewIcon,
  SuppliersIcon,
  WebhooksIcon,
} from '../kit/icons';
import { useMay, useSession, type Permission } from '../session';
import { Logo } from './logo';
import classes from './navigation.module.css';

interface Place {
  to:
    | '/'
    | '/orders'
    | '/review'
    | '/merchants'
    | '/deposits'
    | '/approvals'
    | '/products'
    | '/fx'
    | '/suppliers'
    | '/webhooks'
    | '/reports/daily'
    | '/audit'
    | '/log'
    | '/operators';
  name: Key;
  Icon: () => ReactNode;
  permission: Permission;
  /** Further pages of the place, at other addresses. */
  also?: readonly string[];
}

const PLACES: readonly Place[] = [
  { to: '/', name: 'nav.home', Icon: HomeIcon, permission: 'orders.read' },
  { to: '/orders', name: 'nav.orders', Icon: OrdersIcon, permission: 'orders.read' },
  { to: '/review', name: 'nav.review', Icon: ReviewIcon, permission: 'orders.read' },
  { to: '/merchants', name: 'nav.merchants', Icon: MerchantsIcon, permission: 'merchants.read' },
  {
    to: '/deposits',
    name: 'nav.deposits',
    Icon: DepositsIcon,
    permission: 'deposits.read',
    also: ['/payments', '/channels'],
  },
  { to: '/approvals', name: 'nav.approvals', Icon: ApprovalsIcon, permission: 'wallets.read' },
  { to: '/products', name: 'nav.products', Icon: ProductsIcon, permission: 'products.read' },
  { to: '/fx', name: 'nav.fx', Icon: RatesIcon, permission: 'products.read' },
  { to: '/suppliers', name: 'nav.suppliers', Icon: SuppliersIcon, permission: 'suppliers.read' },
  { to: '/webhooks', name: 'nav.webhooks', Icon: WebhooksIcon, permission: 'webhooks.read' },
  { to: '/reports/daily', name: 'nav.reports', Icon: ReportsIcon, permission: 'reports.read' },
  { to: '/audit', name: 'nav.audit', Icon: AuditIcon, permission: 'audit.run' },
  { to: '/log', name: 'nav.log', Icon: LogIcon, permission: 'log.read' },
  { to: '/operators', name: 'nav.operators', Icon: OperatorsIcon, permission: 'operators.manage' },
];

export function Navigation(): ReactNode {
  const t = useT();
  // Without a limit for approvals there are no approvals to show.
  const hasApprovals = typeof useSession()?.approval_above === 'string';
  const places = PLACES.filter(({ to }) => to !== '/approvals' || hasApprovals);
  return (
    <nav aria-label={t('shell.navigation')}>
      <Link to="/" className={classes.brand}>
        <Logo />
        {t('shell.product')}
      </Link>
      <ul className={classes.places}>
        {places.map((place) => (
          <NavigationLink key={place.to} {...place} />
        ))}
      </ul>
    </nav>
  );
}

function NavigationLink({ to, name, Icon, permission, also = [] }: Place): ReactNode {
  const t = useT();
  const address = useRouterState({ select: ({ location }) => location.pathname });
  const isThere = also.some((each) => address.startsWith(each));
  if (!useMay(permission)) return null;
  return (
    <li>
      <Link
        to={to}
        className={classes.place}
        activeOptions={{ exact: to === '/', includeSearch: false }}
        activeProps={{ 'data-active': true }}
        {...(isThere && { 'data-active': true })}
      >
        <Icon />
        {t(name)}
      </Link>
    </li>
  );
}

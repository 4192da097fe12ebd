import { MARGIN_GROUPS } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choice, day, text, whole, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';

export const dailyReport = createRoute({
  getParentRoute: () => shell,
  path: '/reports/daily',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ date: day(search.date), zone: text(search.zone), job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea('reports', () => import('../pages/reports/daily')),
    'DailyReport',
  ),
});

export const supplierReport = createRoute({
  getParentRoute: () => shell,
  path: '/reports/supplier',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({ code: text(search.code), since: day(search.since), job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea('reports', () => import('../pages/reports/supplier')),
    'SupplierReport',
  ),
});

export const marginReport = createRoute({
  getParentRoute: () => shell,
  path: '/reports/margin',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      from: day(search.from),
      to: day(search.to),
      by: choice(search.by, MARGIN_GROUPS),
      job: whole(search.job),
    }),
  component: lazyRouteComponent(
    inArea('reports', () => import('../pages/reports/margin')),
    'MarginReport',
  ),
});

export const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined({ job: whole(search.job) }),
  component: lazyRouteComponent(
    inArea('reports', () => import('../pages/reports/audit')),
    'Audit',
  ),
});

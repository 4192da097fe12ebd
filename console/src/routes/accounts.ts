import { LOG_SOURCES } from '../choices';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { choicesOf, day, several, text, whole, withoutUndefined } from '../search-params';
import { inArea, shell } from './base';

export const log = createRoute({
  getParentRoute: () => shell,
  path: '/log',
  validateSearch: (search: Record<string, unknown>) =>
    withoutUndefined({
      operator: text(search.operator),
      action: several(search.action, text),
      source: choicesOf(search.source, LOG_SOURCES),
      merchant: several(search.merchant, whole),
      order: text(search.order),
      supplier: several(search.supplier, text),
      from: day(search.from),
      to: day(search.to),
    }),
  component: lazyRouteComponent(
    inArea('log', () => import('../pages/log/log')),
    'Log',
  ),
});

export const operators = createRoute({
  getParentRoute: () => shell,
  path: '/operators',
  component: lazyRouteComponent(
    inArea('operators', () => import('../pages/operators/operators')),
    'Operators',
  ),
});

export const operator = createRoute({
  getParentRoute: () => shell,
  path: '/operators/$id',
  component: lazyRouteComponent(
    inArea('operators', () => import('../pages/operators/operator')),
    'Operator',
  ),
});

export const me = createRoute({
  getParentRoute: () => shell,
  path: '/me',
  component: lazyRouteComponent(
    inArea('me', () => import('../pages/me/me')),
    'Me',
  ),
});

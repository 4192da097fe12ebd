import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { text, withoutUndefined } from '../search-params';
import { root } from './base';

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>) => withoutUndefined({ next: text(search.next) }),
  component: lazyRouteComponent(() => import('../pages/sign-in/login'), 'Login'),
});

/** The search parameters come from the identity provider, and the page passes them on unchanged. */
export const companyReturn = createRoute({
  getParentRoute: () => root,
  path: '/login/company',
  component: lazyRouteComponent(() => import('../pages/sign-in/company-return'), 'CompanyReturn'),
});

export const setPassword = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: lazyRouteComponent(() => import('../pages/sign-in/set-password'), 'SetPassword'),
});

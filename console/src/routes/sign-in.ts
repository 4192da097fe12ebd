import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { said, text } from '../search-params';
import { root } from './base';

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>) => said({ next: text(search.next) }),
  component: lazyRouteComponent(() => import('../pages/sign-in/login'), 'Login'),
});

export const setPassword = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: lazyRouteComponent(() => import('../pages/sign-in/set-password'), 'SetPassword'),
});

import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import type { Area } from '../i18n/areas';
import { loadArea } from '../i18n/words';
import { text, withoutUndefined } from '../search-params';
import { follow, sessionQuery } from '../session';
import { Shell } from '../shell/shell';

interface Context {
  queries: QueryClient;
}

/** Loads a page together with the texts of its area or areas. */
export const inArea =
  <Page>(area: Area | readonly Area[], load: () => Promise<Page>) =>
  async (): Promise<Page> =>
    (await Promise.all([load(), ...[area].flat().map((each) => loadArea(each))]))[0];

export const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  // The parameter of every list. Each route adds its own filters.
  validateSearch: (search: Record<string, unknown>) => withoutUndefined({ cursor: text(search.cursor) }),
});

/** The parent of all pages that require a session. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  // Until the session is known, the frame of index.html is enough.
  pendingComponent: () => null,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) {
      // oxlint-disable-next-line typescript/only-throw-error -- that is how the router redirects
      throw redirect({ to: '/login', search: { next: location.href === '/' ? undefined : location.href } });
    }
    await follow(session);
    // Until the operator sets up a second factor, the API answers no other requests.
    if (session.state === 'second_factor_required' && location.pathname !== '/me') {
      // oxlint-disable-next-line typescript/only-throw-error -- that is how the router redirects
      throw redirect({ to: '/me' });
    }
  },
});
